/** The refusal of a call that needs public addresses which the pools of the location do not have. */
import { Problem, type ProblemDetails } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { type AddressQuestion, secondsUntilFree } from './store.ts';

const words = { 4: 'public IPv4 address', 6: 'public IPv6 prefix' } as const;

/** `nextStep` is shown if no address becomes free by itself; then there is no `Retry-After`. */
export async function noAddressLeft(
  db: Db,
  question: Omit<AddressQuestion, 'version'>,
  exhausted: readonly (4 | 6)[],
  nextStep: string,
  more: Pick<ProblemDetails, 'extraLater'> = {},
): Promise<Problem> {
  const waits: (number | null)[] = [];
  for (const version of exhausted) waits.push(await secondsUntilFree(db, { ...question, version }));
  const known = waits.filter((seconds) => seconds !== null);
  const what = exhausted.map((version) => words[version]).join(' and no ');
  return new Problem('capacity_unavailable', {
    detail: `No ${what} is left in ${question.location} at the moment.`,
    extra: { alternatives: [] },
    ...more,
    ...(known.length === waits.length ? { retryAfterSeconds: Math.max(...known) } : { nextStep }),
  });
}
