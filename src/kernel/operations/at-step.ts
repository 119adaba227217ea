/** What holds for an operation while one of its steps runs. */
import type { Kind, Lane } from './kind.ts';
import type { StoredOperation } from './store.ts';

/** Whether the operation can be cancelled while the step at this index runs. */
export function isCancellableAt(kind: Kind, place: number): boolean {
  return kind.cancellable && !kind.steps.slice(0, place + 1).some(({ final }) => final);
}

/** The lane of the step at this index. */
export function laneOf(
  kind: Kind | undefined,
  { phase, input, results }: Pick<StoredOperation, 'phase' | 'input' | 'results'>,
  place: number,
): Lane {
  if (phase === 'undo') return 'undo';
  const foreign = kind?.steps[place]?.foreign ?? false;
  const isForeign = typeof foreign === 'function' ? foreign({ input: input as never, results }) : foreign;
  return isForeign ? 'foreign' : 'own';
}
