import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import {
  addressOf,
  listAddress,
  makerOf,
  type Noun,
  type NounFamily,
  nounNamed,
  nounsQuery,
  type PathValues,
  singularOf,
  titleOf,
} from '../data/nouns.ts';
import { type PersonCall, perform, type Resource, refreshNouns } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { inSentence, spoken } from '../data/words.ts';
import { type Described, describe } from '../form/document.ts';
import { Facts } from '../form/facts.ts';
import { useFaults } from '../form/faults.ts';
import { ObjectForm } from '../form/form.tsx';
import { FormProblem } from '../form/form-problem.tsx';
import { isEqual } from '../form/merge-patch.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Leaving } from '../ui/leaving.tsx';
import { Loaded } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { useAct } from '../ui/use-act.ts';
import { useIsWide } from '../ui/use-wide.ts';
import { secretsIn } from './answered-secrets.ts';
import { AsCode } from './as-code.tsx';
import { CostChange, CostLines, ForeseenNotes } from './foreseen.tsx';
import { type Rehearsal, useRehearsal } from './rehearsal.ts';
import { isFilled } from './schema.ts';

interface Props {
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  readonly above?: PathValues;
}

/** What a page that creates something works with: the body so far, and what the dry run says about it. */
export interface Creation {
  readonly described: Described;
  readonly body: Resource;
  readonly change: (body: Resource) => void;
  readonly rehearsal: Rehearsal;
  readonly faults: ReturnType<typeof useFaults>;
  /** Why it was refused, or would be. */
  readonly refusal: unknown;
  readonly busy: boolean;
  readonly submit: () => void;
  /** Why it cannot be sent yet. */
  readonly why: string | undefined;
  readonly made: PersonCall;
}

/** The form that creates one, with its price beside it. `children` may replace the generated form. */
export function CreateForm(
  props: Props & { children?: (creation: Creation) => ReactNode; start?: Resource },
) {
  const call = makerOf(props.noun);
  const document = useQuery({ ...operationQuery(call?.id ?? ''), enabled: call !== undefined });
  if (call === undefined) return <p>None can be created: the provider offers them.</p>;
  return (
    <Loaded query={document} rows={6}>
      {(json) => {
        const described = describe(json, call.id);
        return described && <Open {...props} described={described} />;
      }}
    </Loaded>
  );
}

/** The pages that create what a picker could choose from. */
function useCreatePath(): (list: string) => string | undefined {
  const families = useQuery(nounsQuery).data ?? [];
  return (list) => {
    const noun = families.flatMap(({ nouns }) => nouns).find(({ rows }) => rows?.operation === list);
    return noun?.create && noun.parent === undefined ? `/portal${listAddress(noun)}/new` : undefined;
  };
}

function Open(
  props: Props & { described: Described; children?: (creation: Creation) => ReactNode; start?: Resource },
) {
  const { noun, families, above = {}, described, children, start = {} } = props;
  const call = makerOf(noun)!;
  const account = useAccount();
  const client = useQueryClient();
  const navigate = useNavigate();
  const createPath = useCreatePath();
  const isWide = useIsWide();
  const [name, setName] = useState('');
  const [body, setBody] = useState<Resource>(start);
  // What the page fills in by itself is nobody's work. After the first touch, all may be.
  const [untouched, setUntouched] = useState<Resource>(start);
  const isTouched = useRef(false);
  const isMade = useRef(false);
  const touch = (): void => {
    isTouched.current = true;
  };
  const change = (next: Resource): void => {
    setBody(next);
    if (!isTouched.current) setUntouched(next);
  };
  const isEdited = (): boolean => !isMade.current && (name !== '' || !isEqual(body, untouched));
  const [answer, setAnswer] = useState<Resource | null>(null);
  const shown = useRef<typeof import('./answered-once.tsx')>(undefined);
  // A declaration is named by the last part of its path.
  const own = call.method === 'PUT' ? described.resource?.parameter : undefined;
  const path = own === undefined ? above : { ...above, [own]: name };
  const made: PersonCall = { call, path, body };
  const filled = isFilled(described.body, body, described.resolve) && (own === undefined || name !== '');
  // Once it is made, another one of this name would be refused.
  const rehearsal = useRehearsal(filled && answer === null ? made : null);
  const finish = (result: Resource): void => {
    const id = String(result[noun.key] ?? result['id'] ?? '');
    const parent = noun.parent && above[noun.parent.parameter];
    const parentNoun = noun.parent && nounNamed(families, noun.parent.noun);
    if (noun.read !== undefined) void navigate({ to: addressOf(noun, families, id, parent) });
    else if (parentNoun && parent !== undefined)
      void navigate({ to: addressOf(parentNoun, families, parent), search: { tab: noun.slug } });
    else void navigate({ to: listAddress(noun) });
  };
  const run = useAct(async () => {
    // What shows a secret is there before the secret is made.
    shown.current ??= await import('./answered-once.tsx');
    const result = await perform(account, made);
    isMade.current = true;
    refreshNouns(client, account.id);
    if (secretsIn(result, described).length > 0) setAnswer(result);
    else {
      toast(`${singularOf(noun)} ${String(result['name'] ?? '')} is on its way`);
      finish(result);
    }
  });
  const AnsweredOnce = shown.current?.AnsweredOnce;
  const refusal = filled ? (run.error ?? rehearsal.problem) : undefined;
  const found = useFaults(refusal);
  const creation: Creation = {
    described,
    body,
    change,
    rehearsal,
    faults: found,
    refusal,
    busy: run.busy,
    submit: () => void run.run(),
    why: filled ? undefined : 'Fill in the required fields first.',
    made,
  };
  return (
    <>
      <Leaving
        title={`Leave without creating the ${inSentence(singularOf(noun))}?`}
        text="What you filled in is only on this page. It is lost when you leave it."
        isEdited={isEdited}
        wholePage
      />
      <form
        noValidate
        onClickCapture={touch}
        onInputCapture={touch}
        onKeyDownCapture={(event) => event.key !== 'Tab' && touch()}
        className="flex flex-col gap-8 max-lg:**:scroll-mb-24 lg:grid lg:grid-cols-[minmax(0,1fr)_320px]"
        onSubmit={(event) => {
          event.preventDefault();
          if (filled) void run.run();
        }}
      >
        <Facts value={{ resolve: described.resolve, body, path, ...found, createPath }}>
          <div className="grid min-w-0 content-start gap-5">
            {own !== undefined && (
              <TextField
                label={spoken(noun.key)}
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
            {children?.(creation) ??
              (described.body !== null && (
                <ObjectForm
                  schema={described.body}
                  value={body}
                  change={(next) => change(next as Resource)}
                />
              ))}
          </div>
        </Facts>
        <Summary creation={creation} noun={noun} isWide={isWide} />
        {!isWide && <Price creation={creation} noun={noun} />}
        {answer !== null && AnsweredOnce !== undefined && (
          <AnsweredOnce
            title={`${singularOf(noun)} ${String(answer['name'] ?? '')}`}
            secrets={secretsIn(answer, described)}
            close={() => finish(answer)}
          />
        )}
      </form>
    </>
  );
}

/** What the dry run says about the form as it is now. Beside the form, the price and the button are in it. */
function Summary(props: { creation: Creation; noun: Noun; isWide: boolean }) {
  const { creation, noun, isWide } = props;
  const { rehearsal, busy, refusal, faults, why, made } = creation;
  const { foreseen = rehearsal.last } = rehearsal;
  const isOld = why !== undefined || refusal !== undefined;
  return (
    <aside
      aria-label="Summary"
      className="card grid min-w-0 grid-cols-1 content-start gap-4 self-start p-5 wrap-anywhere lg:sticky lg:top-[88px]"
    >
      <h2 className="flex items-center gap-2 text-lg">
        Summary
        {foreseen && !isOld && !rehearsal.isCurrent && <Spinner />}
      </h2>
      {foreseen ? (
        <div className="grid gap-3" aria-busy={!isOld && !rehearsal.isCurrent}>
          {isOld && <p className="text-sm text-muted">The last price that was looked up:</p>}
          {isWide && <CostChange cost={foreseen.cost} />}
          <CostLines cost={foreseen.cost} />
          <ForeseenNotes foreseen={foreseen} quiet />
        </div>
      ) : (
        <p className="text-muted">
          {why === undefined
            ? refusal === undefined
              ? 'Looking up the price…'
              : 'There is no price yet. The reason stands below.'
            : 'The price stands here once the required fields are filled in.'}
        </p>
      )}
      <FormProblem problem={refusal} found={faults} />
      {isWide && (
        <Button type="submit" kind="primary" busy={busy} why={why}>
          {createTitle(noun)}
        </Button>
      )}
      <AsCode made={made} />
    </aside>
  );
}

/** Where the summary is below the form, the price and the button stay in sight. */
function Price({ creation: { rehearsal, busy, why }, noun }: { creation: Creation; noun: Noun }) {
  const { foreseen = rehearsal.last } = rehearsal;
  return (
    <section
      aria-label="Price"
      className="sticky bottom-0 z-10 -mx-1 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-raised px-4 py-3 shadow-(--lift) max-md:bottom-2"
    >
      {foreseen && (
        <div className="min-w-0 flex-1 basis-[180px]" aria-busy={!rehearsal.isCurrent}>
          <CostChange cost={foreseen.cost} small />
        </div>
      )}
      <Button type="submit" kind="primary" busy={busy} why={why}>
        {createTitle(noun)}
      </Button>
    </section>
  );
}

export const createTitle = (noun: Noun): string => `Create ${inSentence(singularOf(noun))}`;
export const purposeOf = (noun: Noun): string => noun.purpose || `${titleOf(noun)} of this account.`;
