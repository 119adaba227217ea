import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WhyNot } from '../data/access.ts';
import { type Noun, type NounCall, type PathValues, singularOf, titleOf } from '../data/nouns.ts';
import { perform, type Resource, refreshNouns, rehearse } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { count, inSentence, spoken } from '../data/words.ts';
import { describe, type Schema } from '../form/document.ts';
import { Button } from '../ui/button.tsx';
import { Cancel, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useAct } from '../ui/use-act.ts';
import { nameOf, pathFor } from './act-menu.tsx';
import type { Act } from './acts.ts';
import { ActDialog } from './lazy-act.tsx';

interface Props {
  readonly noun: Noun;
  /** Those that are selected. */
  readonly rows: readonly Resource[];
  readonly all: readonly Resource[];
  readonly above: PathValues;
  readonly select: (ids: readonly string[]) => void;
  readonly whyNot: WhyNot;
  readonly keyOf: (row: Resource) => string;
}

/** What can be done with all selected rows at once. */
export function Bulk({ noun, rows, all, above, select, whyNot, keyOf }: Props) {
  const [open, setOpen] = useState<Act | 'delete' | null>(null);
  if (rows.length === 0) return null;
  const ids = rows.map(keyOf);
  const act = (call: NounCall, label: string, fixed: Act['fixed']): Act => ({
    label,
    call,
    fixed,
    isDanger: call.access === 'destructive',
    why: whyNot(call.id),
  });
  const acts = noun.bulk.flatMap((call) =>
    (call.choice?.values ?? ['']).map((value) =>
      value === ''
        ? act(call, call.summary, {})
        : act(call, spoken(value), { [call.choice?.member ?? '']: value }),
    ),
  );
  return (
    <div
      role="toolbar"
      aria-label="Acts on what is selected"
      // Before the rows for the keyboard, but shown after and over them: none moves when it comes.
      className="bulk-bar sticky bottom-3 z-10 order-last mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-accent bg-accent-soft px-4 py-2.5 shadow-(--lift)"
    >
      <p role="status" className="mr-2 text-accent-ink">
        {rows.length} selected
      </p>
      {acts.map((each) => (
        <Button key={each.label} small why={each.why} onClick={() => setOpen(each)}>
          {each.label}
        </Button>
      ))}
      {noun.delete && (
        <Button small why={whyNot(noun.delete.id)} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      <span className="flex-1" />
      {rows.length < all.length && (
        <Button small kind="quiet" onClick={() => select(all.map(keyOf))}>
          Select all {all.length}
        </Button>
      )}
      <Button small kind="quiet" onClick={() => select([])}>
        Select none
      </Button>
      {open === 'delete' && noun.delete && (
        <DeleteMany
          noun={noun}
          call={noun.delete}
          rows={rows}
          above={above}
          close={() => setOpen(null)}
          keep={(left) => select(left.map(keyOf))}
        />
      )}
      {open !== null && open !== 'delete' && (
        <BulkAct noun={noun} act={open} ids={ids} count={rows.length} close={() => setOpen(null)} />
      )}
    </div>
  );
}

/** The member of the body that takes the ids: the list of references to this noun. */
function BulkAct(props: { noun: Noun; act: Act; ids: readonly string[]; count: number; close: () => void }) {
  const { noun, act, ids, close } = props;
  const json = useQuery(operationQuery(act.call.id)).data;
  const described = json && describe(json, act.call.id);
  if (!described?.body) return null;
  const { properties = {} } = described.body as { properties?: Readonly<Record<string, Schema>> };
  const member = Object.entries(properties).find(([, schema]) => {
    const items = described.resolve(schema)['items'] as Schema | undefined;
    const ref = items && (described.resolve(items)['x-ref'] as { list: string } | undefined);
    return ref?.list === noun.rows?.operation;
  })?.[0];
  if (member === undefined) return null;
  return (
    <ActDialog
      act={{ ...act, fixed: { ...act.fixed, [member]: ids } }}
      noun={noun}
      path={{}}
      name={count(props.count, inSentence(singularOf(noun)), inSentence(titleOf(noun)))}
      close={close}
    />
  );
}

interface Refused {
  readonly row: Resource;
  readonly error: unknown;
}

/** Deletes one after the other. What is refused stays selected, with the reason. */
function DeleteMany(props: {
  noun: Noun;
  call: NounCall;
  rows: readonly Resource[];
  above: PathValues;
  close: () => void;
  keep: (left: readonly Resource[]) => void;
}) {
  const { noun, call, above, close, keep } = props;
  const [rows] = useState(props.rows);
  const account = useAccount();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const act: Act = { label: 'Delete', call, fixed: {}, isDanger: true, why: undefined };
  const callFor = (row: Resource) => ({ call, path: pathFor(noun, act, row, above) });
  const losses = useQuery({
    queryKey: [account.id, 'losses', rows.map(nameOf)],
    queryFn: async () => {
      const found = await Promise.all(
        rows.slice(0, 20).map((row) => rehearse(account, callFor(row)).catch(() => null)),
      );
      return found.flatMap((foreseen) => foreseen?.effects.flatMap(({ loss }) => loss?.what ?? []) ?? []);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const run = useAct(async () => {
    const failed: Refused[] = [];
    for (const row of rows) {
      try {
        await perform(account, callFor(row));
      } catch (error) {
        failed.push({ row, error });
      }
      setDone((before) => before + 1);
    }
    refreshNouns(client, account.id);
    setRefused(failed);
    keep(failed.map(({ row }) => row));
    if (failed.length > 0) return;
    toast(`${count(rows.length, inSentence(singularOf(noun)), inSentence(titleOf(noun)))} deleted`);
    close();
  });
  const words = String(rows.length);
  const isOver = refused.length > 0;
  return (
    <Dialog
      title={`Delete ${count(rows.length, inSentence(singularOf(noun)), inSentence(titleOf(noun)))}`}
      close={close}
      onSubmit={() => !isOver && typed.trim() === words && void run.run()}
      foot={
        isOver ? (
          <Button kind="primary" onClick={close}>
            Close
          </Button>
        ) : (
          <>
            <Cancel />
            <Button
              type="submit"
              kind="danger"
              busy={run.busy}
              why={typed.trim() === words ? undefined : `Type ${words} first.`}
            >
              {run.busy ? `Deleting ${Math.min(done + 1, rows.length)} of ${rows.length}` : 'Delete'}
            </Button>
          </>
        )
      }
    >
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="What is deleted"
        className="max-h-[200px] list-disc overflow-y-auto pl-5"
      >
        {rows.map((row) => (
          <li key={nameOf(row)} className="wrap-anywhere">
            {nameOf(row)}
          </li>
        ))}
      </ul>
      {losses.data && losses.data.length > 0 && (
        <Notice tone="bad">
          Lost for good: {[...new Set(losses.data)].slice(0, 6).join(' ')}
          {rows.length > 20 && ' The first 20 were looked at.'}
        </Notice>
      )}
      {refused.map(({ row, error }) => (
        <div key={nameOf(row)}>
          <p className="mb-1 font-medium wrap-anywhere">{nameOf(row)} is still there</p>
          <ProblemNotice error={error} />
        </div>
      ))}
      {!isOver && (
        <TextField
          label={`Type ${words} to confirm`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Dialog>
  );
}
