import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Problem } from '../../data/http.ts';
import { calls, siteQuery, useAccount } from '../../data/session.ts';
import type { Described } from '../../form/document.ts';
import { Facts } from '../../form/facts.ts';
import { useFaults } from '../../form/faults.ts';
import { ObjectForm } from '../../form/form.tsx';
import { FormProblem } from '../../form/form-problem.tsx';
import { CostChange } from '../../resource/foreseen.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Field, SelectField, TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { type Call, curlOf, type Outcome, parsed, pasted, sendCall, withDryRun } from './call.ts';
import { ConfirmByName } from './confirm-by-name.tsx';
import { foreseenIn, needsConfirmation } from './foreseen-changes.tsx';
import { Parameters } from './parameters.tsx';
import { Result } from './result.tsx';

type Values = Readonly<Record<string, unknown>>;

export function Workbench({ id, described }: { id: string; described: Described }) {
  const account = useAccount();
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  const [as, setAs] = useState<'me' | 'key'>('me');
  const [key, setKey] = useState(pasted.key);
  const [path, setPath] = useState<Values>(() => valuesInAddress(described));
  const [query, setQuery] = useState<Values>({});
  const [headers, setHeaders] = useState<Values>({});
  const [body, setBody] = useState<unknown>({});
  const [text, setText] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [tried, setTried] = useState<string | null>(null);
  const [confirming, setConfirming] = useState(false);
  const call = callOf(described, { path, query, headers }, text === null ? body : parsed(text));
  const mayTry = described.parameters.some(({ name }) => name === 'dry_run');
  const fingerprint = JSON.stringify(call);
  const isTried = tried === fingerprint;
  const foreseen = isTried ? foreseenIn(outcome) : {};
  const asksName = described.access === 'destructive' || needsConfirmation(foreseen);
  const missing = described.parameters.find(({ in: place, name }) => place === 'path' && !path[name]);
  const problem = useMemo(() => problemIn(outcome), [outcome]);
  const found = useFaults(problem);
  const run = useAct(async (isDryRun: boolean) => {
    pasted.key = key.trim();
    const sent = isDryRun ? withDryRun(call) : call;
    const answer = await sendCall(sent, as === 'me' ? calls(account) : null, isDryRun);
    setOutcome(answer);
    setTried(isDryRun && answer.status < 400 ? fingerprint : null);
  });
  const why = missing
    ? `Fill in ${missing.name} first.`
    : as === 'key' && key.trim() === ''
      ? 'Paste a key first.'
      : text !== null && parsed(text) === undefined && text.trim() !== ''
        ? 'The body is no valid JSON yet.'
        : undefined;
  const send = (): void => {
    if (asksName) setConfirming(true);
    else void run.run(false);
  };
  const shown = { described, withKey: as === 'key' };
  return (
    <div className="grid gap-8 xl:grid-cols-2">
      <form
        className="grid content-start gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (why !== undefined) return;
          if (mayTry && !isTried) void run.run(true);
          else send();
        }}
      >
        <Who as={as} choose={setAs} keyText={key} setKey={setKey} role={account.role} />
        <FormProblem problem={problem} found={found} />
        <Facts
          value={{
            ...found,
            resolve: described.resolve,
            body,
            path: path as Record<string, string>,
            patch: described.method === 'PATCH',
          }}
        >
          <Parameters {...shown} title="Path" place="path" values={path} change={setPath} />
          <Parameters {...shown} title="Query" place="query" values={query} change={setQuery} />
          {described.body !== null && (
            <section className="grid gap-3">
              <div className="flex items-center justify-between">
                <h2 className="text-lg">Body</h2>
                <Button
                  small
                  kind="quiet"
                  onClick={() => setText(text === null ? JSON.stringify(body, null, 2) : null)}
                >
                  {text === null ? 'Write JSON' : 'Use the form'}
                </Button>
              </div>
              {text === null ? (
                <ObjectForm schema={described.body} value={body} change={setBody} />
              ) : (
                <JsonBody text={text} change={setText} example={described.example} keep={setBody} />
              )}
            </section>
          )}
          <Parameters {...shown} title="Headers" place="header" values={headers} change={setHeaders} />
        </Facts>
        <div className="flex flex-wrap items-center gap-2">
          {mayTry && (
            <Button
              kind={isTried ? 'plain' : 'primary'}
              type={isTried ? 'button' : 'submit'}
              busy={run.busy}
              why={why}
              onClick={isTried ? () => void run.run(true) : undefined}
            >
              Dry run
            </Button>
          )}
          <Button
            kind={asksName ? 'danger' : mayTry && !isTried ? 'plain' : 'primary'}
            type={mayTry && !isTried ? 'button' : 'submit'}
            busy={run.busy}
            why={why ?? (mayTry && !isTried ? 'Do the dry run with these values first.' : undefined)}
            onClick={mayTry && !isTried ? send : undefined}
          >
            {described.method === 'GET' ? 'Send' : 'Send for real'}
          </Button>
          {foreseen.cost && <CostChange cost={foreseen.cost} small />}
        </div>
      </form>
      <div className="grid min-w-0 auto-rows-max content-start gap-5 xl:sticky xl:top-[88px] xl:max-h-[calc(100dvh-112px)] xl:overflow-y-auto">
        <ProblemNotice error={run.error} />
        {outcome && <Result outcome={outcome} />}
        <Code title="The same call as curl" text={curlOf(call, base)} />
      </div>
      {confirming && (
        <ConfirmByName
          id={id}
          foreseen={foreseen}
          fallback={String(Object.values(path).at(-1) ?? described.summary)}
          close={() => setConfirming(false)}
          go={() => {
            setConfirming(false);
            void run.run(false);
          }}
        />
      )}
    </div>
  );
}

function Who(props: {
  as: 'me' | 'key';
  choose: (as: 'me' | 'key') => void;
  keyText: string;
  setKey: (key: string) => void;
  role: string;
}) {
  const { as, choose, keyText, setKey, role } = props;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Call as"
        value={as}
        onChange={(event) => choose(event.target.value === 'key' ? 'key' : 'me')}
      >
        <option value="me">Me ({role})</option>
        <option value="key">A key that I paste</option>
      </SelectField>
      {as === 'key' && (
        <TextField
          label="API key"
          type="password"
          autoComplete="off"
          hint="Stays in the memory of this tab. Allowlist and rate limit are real."
          className="font-mono"
          value={keyText}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
    </div>
  );
}

function JsonBody(props: {
  text: string;
  change: (text: string) => void;
  example: unknown;
  keep: (body: unknown) => void;
}) {
  const { text, change, example, keep } = props;
  return (
    <>
      <Field label="JSON">
        {(control) => (
          <textarea
            {...control}
            rows={12}
            spellCheck={false}
            className="input font-mono text-sm"
            value={text}
            onChange={(event) => {
              change(event.target.value);
              const value = parsed(event.target.value);
              if (value !== undefined) keep(value);
            }}
          />
        )}
      </Field>
      {example !== null && (
        <Button
          small
          className="justify-self-start"
          onClick={() => {
            change(JSON.stringify(example, null, 2));
            keep(example);
          }}
        >
          Fill in the example
        </Button>
      )}
    </>
  );
}

/** A link may say which resource is read. It fills in no call that changes anything. */
function valuesInAddress({ method, parameters }: Described): Values {
  if (method !== 'GET') return {};
  const given = new URLSearchParams(location.search);
  const names = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
  return Object.fromEntries(names.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])));
}

const pairsOf = (values: Values): [string, string][] =>
  Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ]);

function callOf(
  { method, path, body: schema }: Described,
  values: { readonly path: Values; readonly query: Values; readonly headers: Values },
  body: unknown,
): Call {
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      values.path[name] ? encodeURIComponent(String(values.path[name])) : whole,
    ),
    query: pairsOf(values.query),
    headers: pairsOf(values.headers).filter(([, value]) => value !== ''),
    body: schema === null ? undefined : body,
  };
}

function problemIn(outcome: Outcome | null): Problem | null {
  if (outcome?.status !== 422) return null;
  return new Problem(422, (parsed(outcome.text) ?? {}) as Problem['body']);
}
