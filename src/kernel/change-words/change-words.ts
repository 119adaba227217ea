/** What a dry run says about the changes of a call, in words of the product, and whether they open a door. */
import type { Db } from '../../store/database.ts';
import type { Effect } from '../effect.ts';
import { byProvider, Named, Shape, type Static, Type } from '../schema.ts';

export const ForeseenChange = Named(
  'ForeseenChange',
  Shape({
    text: Type.String({
      ...byProvider,
      description:
        'What would change, compared with the present state: `the firewall "web" opens tcp 22 to everybody for 12 machines`. It quotes names that people of the account chose.',
    }),
    loosens: Type.Boolean({
      description:
        'Whether the change lets somebody or something reach or do more than before, or takes a protection away, such as a wider firewall, a new VPN peer, a raised budget, a shorter retention or a removed delete protection.',
    }),
  }),
);
export type ForeseenChange = Static<typeof ForeseenChange>;

export const says = (text: string): ForeseenChange => ({ text, loosens: false });
export const loosensBy = (text: string): ForeseenChange => ({ text, loosens: true });

/**
 * A name that somebody chose, inside one of our sentences. A quotation mark in it, which the name of an API key may have,
 * would end the quotation, and the rest of the name would read like our words.
 */
export const quoted = (name: string): string => `"${name.replaceAll('"', "'")}"`;

/** What the words of a resource may use. The database has the state after the call. */
export interface Telling {
  readonly db: Db;
  readonly accountId: string;
  /** `machine` */
  readonly noun: string;
  /** `the machine "web"` */
  readonly subject: string;
}

/** The words of one type of resource, for changes about which the generic words do not say enough. */
export interface ChangeWords {
  /** The members, as audit entries name them, that `say` describes. Generic words describe all others. */
  readonly members: readonly string[];
  /** Whether `say` describes creations wholly, so that "creates an interface" would add nothing. */
  readonly saysWhole?: true;
  /** Gets every effect on such a resource, also those that change none of the members. */
  say(effect: Effect, telling: Telling): readonly ForeseenChange[] | Promise<readonly ForeseenChange[]>;
}

/** The change of one member of an effect, if it has one. */
export function changeOf<T>(
  { changes = [] }: Pick<Effect, 'changes'>,
  member: string,
): { readonly before: T; readonly after: T } | undefined {
  const found = changes.find(({ pointer }) => pointer === `/${member}`);
  // The handler wrote both values from columns of this type.
  return found as { before: T; after: T } | undefined;
}

/** Counts read at most one row more than this, so that a dry run does not read more rows in a larger account. */
export const MOST_COUNTED = 1000;

export interface MachineCount {
  readonly machines: number;
  /** How many rows were counted. A machine has several if several attachments cover it. */
  readonly rows: number;
}

/** `12 machines`; `no machine yet`; `more than 1,000 machines`. */
export function machinesIn({ machines, rows }: MachineCount): string {
  if (machines === 0) return 'no machine yet';
  if (machines > MOST_COUNTED) return `more than ${MOST_COUNTED.toLocaleString('en')} machines`;
  if (rows > MOST_COUNTED) return `at least ${machines} machines`;
  return machines === 1 ? '1 machine' : `${machines} machines`;
}
