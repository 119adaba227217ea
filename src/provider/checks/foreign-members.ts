import type { Report } from '../fault.ts';

/** Reports the members of a location that belong to another driver than the one it names. */
export function checkForeign<M extends string>(
  given: Readonly<Record<M, unknown>> & { readonly driver: string },
  at: string,
  members: readonly M[],
  other: string,
  report: Report,
): void {
  for (const member of members) {
    if (given[member] === null) continue;
    const message = `${member} belongs to the driver ${other}, but driver is ${given.driver}.`;
    report(`${at}/${member}`, message, `Remove it, or set driver to ${other}.`);
  }
}
