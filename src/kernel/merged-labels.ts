import { invalid } from './problems/problem.ts';
import { MOST_LABELS } from './schema.ts';

type Labels = Record<string, string>;

/**
 * Applies the `labels` of a PATCH body, which are a merge patch (RFC 7396): null removes them all. Throws 422 if the
 * result has too many.
 */
export function mergeLabels(
  now: Readonly<Labels>,
  patch: Readonly<Record<string, string | null>> | null | undefined,
): Labels {
  if (patch === null) return {};
  const merged = Object.entries({ ...now, ...patch }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  if (merged.length > MOST_LABELS)
    throw invalid([
      {
        pointer: '/labels',
        code: 'too_many',
        detail: `The resource would have ${merged.length} labels; it may have at most ${MOST_LABELS}. Remove some of them with the value null.`,
      },
    ]);
  return Object.fromEntries(merged);
}
