/** Lists of texts and maps of texts: one row for each, which may still be empty while it is written. */
import { useContext, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Box } from './box.tsx';
import type { Schema } from './document.ts';
import { Facts } from './facts.ts';
import { step } from './fault-list.ts';
import { useFault } from './faults.ts';
import { type MemberProps, orLeftOut } from './member.ts';
import { type Pair, pairsOf, valueOfPairs } from './pairs.ts';
import { hintOf, labelOf } from './words.ts';

/** The rows as they are written, until somebody else sets the value. */
function useDrafts<Row>(value: unknown, read: (value: unknown) => readonly Row[]) {
  const next = useRef(0);
  const keyed = (rows: readonly Row[]) => rows.map((row) => ({ key: next.current++, row }));
  const [known, setKnown] = useState(value);
  const [drafts, setDrafts] = useState(() => keyed(read(value)));
  if (known !== value) {
    setKnown(value);
    setDrafts(keyed(read(value)));
  }
  return {
    drafts,
    keyed,
    add: (row: Row) => setDrafts([...drafts, ...keyed([row])]),
    /** `sent` is what the parent will have for these rows. */
    put: (rows: typeof drafts, sent: unknown) => {
      setDrafts(rows);
      setKnown(sent);
    },
  };
}

/** Moves the focus into the row that was just added. */
function useFocusOnLast(count: number) {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef(count);
  useEffect(() => {
    if (count > before.current && box.current?.contains(document.activeElement))
      [...box.current.querySelectorAll<HTMLElement>('[data-row]')].at(-1)?.querySelector('input')?.focus();
    before.current = count;
  }, [count]);
  return box;
}

export function Texts(props: MemberProps) {
  const { name, schema, value, change, pointer, isRequired } = props;
  const { resolve, changed } = useContext(Facts);
  const isNumber = resolve(schema['items'] as MemberProps['schema'])['type'] !== 'string';
  const { drafts, keyed, add, put } = useDrafts<string>(value, (given) =>
    Array.isArray(given) ? given.map(String) : [],
  );
  const box = useFocusOnLast(drafts.length);
  const label = labelOf(name, schema);
  const set = (rows: typeof drafts, at: string): void => {
    changed?.(at);
    const texts = rows.map(({ row }) => row.trim()).filter(Boolean);
    const sent = orLeftOut(isNumber ? texts.map(Number) : texts, schema);
    put(rows, sent);
    change(sent);
  };
  const filled = drafts.filter(({ row }) => row.trim() !== '');
  return (
    <Box label={label} hint={hintOf(schema)} fault={useFault(pointer)} optional={!isRequired}>
      <div ref={box} className="grid grid-cols-1 gap-2">
        {drafts.map((draft, i) => (
          <Line
            key={draft.key}
            label={`${label} ${i + 1}`}
            value={draft.row}
            pointer={`${pointer}/${filled.indexOf(draft)}`}
            isNumber={isNumber}
            change={(text) => {
              const parts = text.includes(',') || text.includes('\n') ? text.split(/[,\s]+/) : [text];
              const at = `${pointer}/${filled.indexOf(draft)}`;
              set(drafts.toSpliced(i, 1, { ...draft, row: parts[0] ?? '' }, ...keyed(parts.slice(1))), at);
            }}
            enter={() => add('')}
            remove={() => set(drafts.toSpliced(i, 1), pointer)}
          />
        ))}
        <Button small className="justify-self-start" onClick={() => add('')}>
          <Icon name="plus" /> Add
          <span className="sr-only"> to {label}</span>
        </Button>
      </div>
    </Box>
  );
}

function Line(props: {
  label: string;
  value: string;
  pointer: string;
  isNumber: boolean;
  change: (text: string) => void;
  enter: () => void;
  remove: () => void;
}) {
  const { label, value, pointer, isNumber, change, enter, remove } = props;
  const fault = useFault(pointer);
  return (
    <div data-row="">
      <div className="flex gap-1.5">
        <input
          className="input font-mono text-sm"
          aria-label={label}
          aria-invalid={fault ? true : undefined}
          inputMode={isNumber ? 'numeric' : undefined}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            if (value.trim() !== '') enter();
          }}
        />
        <RemoveRow label={label} remove={remove} />
      </div>
      {fault && <p className="mt-1 text-sm text-bad wrap-anywhere">{fault}</p>}
    </div>
  );
}

const RemoveRow = ({ label, remove }: { label: string; remove: () => void }) => (
  <button
    type="button"
    className="btn btn-quiet w-9 shrink-0 px-0"
    aria-label={`Remove ${label}`}
    onClick={(event) => {
      const box = event.currentTarget.closest('fieldset');
      remove();
      // The button of the row is gone; the one that adds is what remains.
      requestAnimationFrame(() => box?.querySelector<HTMLElement>(':scope .btn-plain')?.focus());
    }}
  >
    <Icon name="close" />
  </button>
);

/** Labels, and settings whose names the document does not fix: a name and a value in each row. */
export function Pairs(props: MemberProps & { isFree?: boolean }) {
  const { name, schema, value, change, pointer, isRequired, isFree = false } = props;
  const { resolve, changed, patch } = useContext(Facts);
  const { drafts, add, put } = useDrafts<Pair>(value, (given) => pairsOf(given, isFree));
  const box = useFocusOnLast(drafts.length);
  const others = schema['additionalProperties'];
  const mayRemove = patch && typeof others === 'object' && resolve(others as Schema)['nullable'] === true;
  const set = (rows: typeof drafts, at: string): void => {
    changed?.(at);
    const pairs = rows.map(({ row }) => row).filter(({ name: key }) => key.trim() !== '');
    const sent = pairs.length === 0 && !isRequired ? undefined : valueOfPairs(pairs, isFree);
    put(rows, sent);
    change(sent);
  };
  const hint = isFree ? `${hintOf(schema)} Write a.b for the member b of a.` : hintOf(schema);
  return (
    <Box label={labelOf(name, schema)} hint={hint} fault={useFault(pointer)} optional={!isRequired}>
      <div ref={box} className="grid grid-cols-1 gap-2">
        {drafts.map((draft, i) => (
          <PairRow
            key={draft.key}
            pair={draft.row}
            number={i + 1}
            pointer={`${pointer}/${step(draft.row.name)}`}
            change={(row) =>
              set(drafts.toSpliced(i, 1, { ...draft, row }), `${pointer}/${step(draft.row.name)}`)
            }
            remove={() => set(drafts.toSpliced(i, 1), `${pointer}/${step(draft.row.name)}`)}
          />
        ))}
        <div className="flex flex-wrap gap-2">
          <Button small onClick={() => add({ name: '', value: '' })}>
            <Icon name="plus" /> Add
            <span className="sr-only"> to {labelOf(name, schema)}</span>
          </Button>
          {mayRemove && (
            <Button small kind="quiet" onClick={() => add({ name: '', value: null })}>
              Remove one that is there
            </Button>
          )}
        </div>
      </div>
    </Box>
  );
}

function PairRow(props: {
  pair: Pair;
  number: number;
  pointer: string;
  change: (pair: Pair) => void;
  remove: () => void;
}) {
  const { pair, number, pointer, change, remove } = props;
  const fault = useFault(pointer);
  return (
    <div data-row="">
      <div className="flex items-center gap-1.5">
        <input
          className="input font-mono text-sm"
          aria-label={`Name ${number}`}
          aria-invalid={fault ? true : undefined}
          placeholder="name"
          autoComplete="off"
          spellCheck={false}
          value={pair.name}
          onChange={(event) => change({ ...pair, name: event.target.value })}
        />
        {pair.value === null ? (
          <span className="w-full text-sm text-muted">is removed</span>
        ) : (
          <input
            className="input font-mono text-sm"
            aria-label={`Value ${number}`}
            aria-invalid={fault ? true : undefined}
            placeholder="value"
            autoComplete="off"
            spellCheck={false}
            value={pair.value}
            onChange={(event) => change({ ...pair, value: event.target.value })}
          />
        )}
        <RemoveRow label={pair.name === '' ? `row ${number}` : pair.name} remove={remove} />
      </div>
      {fault && <p className="mt-1 text-sm text-bad wrap-anywhere">{fault}</p>}
    </div>
  );
}
