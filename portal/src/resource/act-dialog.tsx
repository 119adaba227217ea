import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../data/http.ts';
import { type Noun, type PathValues, singularOf } from '../data/nouns.ts';
import { type PersonCall, perform, type Resource, refreshNouns } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { type Described, describe, type Schema } from '../form/document.ts';
import { Facts } from '../form/facts.ts';
import { useFaults } from '../form/faults.ts';
import { ObjectForm } from '../form/form.tsx';
import { FormProblem } from '../form/form-problem.tsx';
import { isEqual, mergePatch } from '../form/merge-patch.ts';
import { Button } from '../ui/button.tsx';
import { Cancel, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Loaded } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { useAct } from '../ui/use-act.ts';
import type { Act } from './acts.ts';
import { AnsweredOnce } from './answered-once.tsx';
import { secretsIn } from './answered-secrets.ts';
import { AsCode } from './as-code.tsx';
import { CostChange, ForeseenNotes } from './foreseen.tsx';
import { useRehearsal } from './rehearsal.ts';
import { isFilled } from './schema.ts';

/** Calls that are refused if the resource is no longer as the person saw it. */
const CHANGING = ['PATCH', 'PUT'];

export interface ActOn {
  readonly act: Act;
  readonly noun: Noun;
  readonly path: PathValues;
  /** Undefined for a creation. */
  readonly row?: Resource | undefined;
  readonly name: string;
  /** What the form begins with, beside what the resource has. */
  readonly wanted?: Resource | undefined;
  /** Above the form: what a person should know before anything is filled in. */
  readonly note?: ReactNode;
}

/** One act on one resource: its form if it has one, what the dry run says about it, and a button. */
export function ActDialog(props: ActOn & { close: () => void; done?: (answer: Resource) => void }) {
  const { act, noun, name, close } = props;
  const document = useQuery(operationQuery(act.call.id));
  const described = document.data && describe(document.data, act.call.id);
  if (!described)
    return (
      <Dialog title={`${act.label} ${name}`} close={close}>
        <Loaded query={document} rows={2}>
          {() => <p>The document has no such call any more. Reload the page.</p>}
        </Loaded>
      </Dialog>
    );
  return <Open key={noun.name} {...props} described={described} />;
}

/** The value at `source/type`. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('/').reduce((part, name) => (part as Resource | undefined)?.[name], value);

/** The members of the body that a person fills in: without those that the act decides. */
function openMembers(described: Described, { fixed, members }: Act): Schema | null {
  const { body, resolve } = described;
  if (body === null) return null;
  const { properties = {}, required = [] } = body as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
  };
  const isShown = ([member, schema]: [string, Schema]): boolean => {
    if (member in fixed || member === 'confirm' || members?.includes(member) === false) return false;
    const when = resolve(schema)['x-when'] as
      | { member: string; is?: readonly unknown[]; sent?: boolean }
      | undefined;
    const decided = when && valueAt(fixed, when.member);
    if (when?.sent === false && decided !== undefined) return false;
    return when?.is === undefined || decided === undefined || when.is.includes(decided);
  };
  const shown = Object.entries(properties).filter(isShown);
  return {
    ...body,
    properties: Object.fromEntries(shown),
    required: required.filter((member) => shown.some(([own]) => own === member)),
  };
}

const wantsConfirmation = ({ body }: Described): boolean =>
  'confirm' in ((body?.['properties'] ?? {}) as Readonly<Record<string, unknown>>);

/** Parameters that the dialog sets itself. */
const OWN = new Set(['dry_run', 'on_failure', 'wait']);

/** What an update would change: only members that a person has set differently. */
function startOf(described: Described, act: Act, row: Resource | undefined): Resource {
  if (row === undefined || !['PATCH', 'PUT'].includes(described.method) || act.label !== 'Change') return {};
  const { properties = {} } = (described.body ?? {}) as { properties?: Readonly<Record<string, Schema>> };
  return Object.fromEntries(
    Object.keys(properties)
      .filter((member) => row[member] !== undefined && row[member] !== null)
      .map((member) => [member, row[member]]),
  );
}

/** Of what was wanted, what this form asks for. */
function onlyMembers(wanted: Resource = {}, described: Described, act: Act): Resource {
  const { properties = {} } = openMembers(described, act) ?? {};
  return Object.fromEntries(
    Object.entries(wanted).filter(([member]) => Object.hasOwn(properties as object, member)),
  );
}

function Open(props: ActOn & { described: Described; close: () => void; done?: (answer: Resource) => void }) {
  const { act, noun, path, row, name, wanted, note, described, close, done } = props;
  const account = useAccount();
  const client = useQueryClient();
  // The version that the person looks at: the page may have read a newer one since.
  const [seen, setSeen] = useState(row);
  const start = startOf(described, act, seen);
  const [body, setBody] = useState<Resource>(() => ({
    ...start,
    ...onlyMembers(wanted, described, act),
  }));
  const [query, setQuery] = useState<Readonly<Record<string, unknown>>>({});
  const [typed, setTyped] = useState('');
  const [answer, setAnswer] = useState<Resource | null>(null);
  const schema = openMembers(described, act);
  const isPatch = described.method === 'PATCH';
  const sent = {
    ...(isPatch ? mergePatch(start, body, described.body ?? {}, described.resolve) : body),
    ...act.fixed,
  };
  const needsName = wantsConfirmation(described) || act.isDanger;
  const made: PersonCall = {
    call: act.call,
    path,
    query: Object.fromEntries(Object.entries(query).map(([own, value]) => [own, String(value)])),
    ...(described.body === null
      ? {}
      : {
          body: wantsConfirmation(described) && isWanted(described, sent) ? { ...sent, confirm: name } : sent,
        }),
    etag: CHANGING.includes(described.method) ? (seen?.['etag'] as string | undefined) : undefined,
  };
  const nothing = isPatch && Object.keys(sent).length === 0;
  const filled = isFilled(schema, body, described.resolve, start) && !nothing;
  const mayTry = described.parameters.some(({ name: own }) => own === 'dry_run');
  const rehearsal = useRehearsal(filled && mayTry ? made : null);
  const { foreseen, problem } = rehearsal;
  // Some calls ask for a name only in some cases: it may be that of what they take the resource from.
  const asksConfirm =
    query['confirm'] !== undefined ||
    (problem?.body.errors?.some(({ pointer }) => pointer === 'query/confirm') ?? false);
  const parameters = described.parameters.filter(
    ({ in: place, name: own }) => place === 'query' && !OWN.has(own) && (own !== 'confirm' || asksConfirm),
  );
  const loses = foreseen?.effects.some(({ loss }) => loss && !loss.recoverable) ?? false;
  const asksName = (needsName && (loses || described.access === 'destructive')) || (loses && act.isDanger);
  const run = useAct(async () => {
    const result = await perform(account, made);
    refreshNouns(client, account.id);
    const secrets = secretsIn(result, described);
    if (secrets.length > 0) {
      setAnswer(result);
      return;
    }
    toast(`${act.label}: ${name}`);
    done?.(result);
    close();
  });
  const refusal = filled ? (run.error ?? problem) : undefined;
  const found = useFaults(refusal);
  const isOutdated = refusal instanceof Problem && refusal.code === 'etag_mismatch';
  useEffect(() => {
    if (isOutdated) refreshNouns(client, account.id);
  }, [isOutdated, client, account.id]);
  /** Everything that was typed stays; the rest is as it is now. */
  const lookAgain = (): void => {
    const now = startOf(described, act, row);
    const changed = Object.keys({ ...start, ...body }).filter((each) => !isEqual(body[each], start[each]));
    setSeen(row);
    setBody({ ...now, ...Object.fromEntries(changed.map((each) => [each, body[each]])) });
    run.clear();
  };
  if (answer !== null)
    return (
      <AnsweredOnce
        title={`${act.label}: ${name}`}
        secrets={secretsIn(answer, described)}
        close={() => {
          done?.(answer);
          close();
        }}
      />
    );
  const why = nothing
    ? 'Change something first.'
    : !filled
      ? 'Fill in the required fields first.'
      : isOutdated
        ? 'Look first at how it is now.'
        : asksName && typed.trim() !== name
          ? `Type ${name} first.`
          : undefined;
  return (
    <Dialog
      wide
      title={`${act.label} ${name}`}
      intro={row === undefined || noun.isOnly ? undefined : `${singularOf(noun)} ${name}`}
      close={close}
      onSubmit={() => why === undefined && void run.run()}
      foot={
        <>
          <Cancel />
          <Button kind={act.isDanger ? 'danger' : 'primary'} type="submit" busy={run.busy} why={why}>
            {act.label}
          </Button>
        </>
      }
    >
      {note !== undefined && (
        <div data-read-first tabIndex={-1} className="outline-none">
          {note}
        </div>
      )}
      <Facts value={{ resolve: described.resolve, body: sent, path, ...found }}>
        {parameters.length > 0 && (
          <ObjectForm
            schema={{
              type: 'object',
              properties: Object.fromEntries(
                parameters.map((each) => [
                  each.name,
                  { ...described.resolve(each.schema), description: each.description },
                ]),
              ),
            }}
            value={query}
            change={(next) => setQuery(next as Readonly<Record<string, unknown>>)}
            pointer="query"
          />
        )}
        {schema !== null && Object.keys(schema['properties'] as object).length > 0 && (
          <ObjectForm schema={schema} value={body} change={(next) => setBody(next as Resource)} />
        )}
      </Facts>
      {foreseen && (
        <section
          aria-label="What this does"
          className="grid gap-3 rounded-lg border border-line bg-sunken p-4"
        >
          <ForeseenNotes foreseen={foreseen} />
          <CostChange cost={foreseen.cost} />
        </section>
      )}
      {isOutdated ? (
        <Notice tone="warn">
          <p>It was changed meanwhile: look at it again. What you typed stays.</p>
          <Button small className="mt-2" onClick={lookAgain}>
            Show how it is now
          </Button>
        </Notice>
      ) : (
        <FormProblem problem={refusal} found={found} />
      )}
      {asksName && (
        <TextField
          label={`Type ${name} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <AsCode made={made} />
    </Dialog>
  );
}

/** A name that confirms is sent only where the schema wants it for what is filled in. */
function isWanted({ body, resolve }: Described, sent: Resource): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: Readonly<Record<string, Schema>> };
  const when = resolve(properties['confirm'] ?? {})['x-when'] as
    | { member: string; is?: readonly unknown[] }
    | undefined;
  return when?.is === undefined || when.is.includes(sent[when.member]);
}
