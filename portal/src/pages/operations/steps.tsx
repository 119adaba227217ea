import type { OperationKind } from '../../data/account-types.ts';
import { duration } from '../../data/durations.ts';
import type { Operation } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { Spinner } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { Icon } from '../../ui/icons.tsx';
import { hasEnded } from './words.ts';

type State = 'done' | 'running' | 'failed' | 'waiting' | 'left out';

/** What the server says is the present step; the order of the steps comes from the kind. */
export function statesOf(
  { status, step, started_at }: Pick<Operation, 'status' | 'step' | 'started_at'>,
  { steps, undo }: Pick<OperationKind, 'steps' | 'undo'>,
): readonly (readonly [string, State])[] {
  const isBack = !steps.includes(step) && undo.includes(step);
  const names = isBack ? undo : steps;
  const at = names.indexOf(step);
  return names.map((name, i): [string, State] => {
    if (status === 'succeeded') return [name, 'done'];
    if (started_at === null || at < 0) return [name, 'waiting'];
    if (i < at) return [name, 'done'];
    const isOver = status === 'failed' || status === 'cancelled';
    if (i > at) return [name, isOver ? 'left out' : 'waiting'];
    if (isBack && isOver) return [name, 'done'];
    return [name, status === 'failed' ? 'failed' : status === 'cancelled' ? 'left out' : 'running'];
  });
}

export function Steps({ operation, kind }: { operation: Operation; kind: OperationKind | undefined }) {
  const { step, started_at, finished_at, expected_seconds } = operation;
  // A newer server may know kinds that this page has not read.
  const { steps, undo } = kind ?? { steps: step === '' ? [] : [step], undo: [] };
  const states = statesOf(operation, { steps, undo });
  const isBack = states.length > 0 && !steps.includes(states[0]?.[0] ?? '');
  return (
    <div className="card">
      {isBack && (
        <p className="border-b border-line px-4 py-2.5 text-sm text-warn md:px-5">
          What it had done is taken back:
        </p>
      )}
      <ol className="divide-y divide-line">
        {states.map(([name, state]) => (
          <li key={name} className="flex items-center gap-3 px-4 py-2.5 md:px-5">
            <Mark state={state} />
            <span
              className={`min-w-0 flex-1 ${state === 'waiting' || state === 'left out' ? 'text-muted' : ''}`}
            >
              {spoken(name)}
            </span>
            <span className={`text-sm ${state === 'failed' ? 'text-bad' : 'text-muted'}`}>{state}</span>
          </li>
        ))}
      </ol>
      <p className="flex flex-wrap justify-between gap-x-4 border-t border-line px-4 py-2.5 text-sm text-muted md:px-5">
        <span>
          {started_at === null ? (
            'Waits for its turn.'
          ) : (
            <>
              {hasEnded(operation) ? 'Took ' : 'Runs for '}
              <Elapsed from={started_at} to={finished_at} />
            </>
          )}
        </span>
        {expected_seconds !== null && <span>Usually takes about {duration(expected_seconds)}</span>}
      </p>
    </div>
  );
}

function Mark({ state }: { state: State }) {
  if (state === 'running')
    return (
      <span className="grid size-4 shrink-0 place-items-center text-accent-ink">
        <Spinner />
      </span>
    );
  if (state === 'done') return <Icon name="check" className="text-good" />;
  if (state === 'failed') return <Icon name="close" className="text-bad" />;
  return (
    <span aria-hidden="true" className="grid size-4 shrink-0 place-items-center">
      <span className="size-1.5 rounded-full bg-edge" />
    </span>
  );
}
