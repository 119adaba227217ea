/**
 * The settings of a port that has several drivers contain the members of all of them, so that a fault can name a member
 * that belongs to another driver.
 */
import { Nullable, OneOf, type TSchema } from '../kernel/schema.ts';
import type { Report } from './fault.ts';
import { Default } from './words.ts';

/** A member of some driver: null if it is left out. */
export const Member = <T extends TSchema>(schema: T) => Default(Nullable(schema), null);

/** By driver, the members that belong to it. */
export type DriverMembers = Readonly<Record<string, object>>;

/** The member `driver`, which names one of them. */
export const Driver = <D extends DriverMembers>(drivers: D) =>
  OneOf(Object.keys(drivers) as readonly (keyof D & string)[]);

/** Reports the members that belong to another driver than the one that the settings name. */
export function checkForeign(
  given: { readonly driver: string },
  at: string,
  drivers: DriverMembers,
  report: Report,
): void {
  const values = given as { readonly driver: string } & Readonly<Record<string, unknown>>;
  for (const [other, members] of Object.entries(drivers)) {
    for (const member of other === given.driver ? [] : Object.keys(members)) {
      if (values[member] === null) continue;
      const message = `${member} belongs to the driver ${other}, but driver is ${given.driver}.`;
      report(`${at}/${member}`, message, `Remove it, or set driver to ${other}.`);
    }
  }
}
