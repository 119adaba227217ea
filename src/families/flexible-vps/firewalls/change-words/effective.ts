/**
 * What a call changes for machines: all firewalls of an interface decide together, so what the call opens and closes is
 * the difference of what they let through before it and after it.
 */
import { combinedDefault } from '../../../../engines/compute/port.ts';
import {
  type ForeseenChange,
  loosensBy,
  machinesIn,
  says,
  type Telling,
} from '../../../../kernel/change-words/change-words.ts';
import type { Settings } from './openings.ts';
import {
  type NamedSettings,
  type Regrouped,
  type Regrouping,
  readNaming,
  readRegrouped,
  readSettings,
} from './store.ts';
import { roughSentences, type Sentence, settingSentences } from './words.ts';

/** Rules have no order, so those of several firewalls are one list. */
export const combined = (firewalls: readonly Settings[]): Settings => ({
  default_in: combinedDefault(firewalls.map(({ default_in }) => default_in)),
  default_out: combinedDefault(firewalls.map(({ default_out }) => default_out)),
  rules: firewalls.flatMap(({ rules }) => rules),
});

/** A machine without a firewall. */
export const OPEN = combined([]);

/** The firewall whose settings or machines the call changes, before and after it; `OPEN`: the machines do not have it. */
export interface ChangedFirewall {
  readonly id: string;
  readonly before: Settings;
  readonly after: Settings;
}

interface About extends Pick<Telling, 'db' | 'accountId'> {
  /** What opens and closes: `the firewall "web"`. */
  readonly subject: string;
  /** `the machine "web"`, if the call is about one machine. */
  readonly machine?: string;
}

const idsIn = (groups: readonly Regrouped[]): string[] => [
  ...new Set(groups.flatMap(({ had, has }) => [...had, ...has])),
];

/** Joins the machines of groups for which the call changes the same. */
class Said {
  readonly #sentences = new Map<string, { readonly sentence: Sentence; readonly machines: Set<string> }>();

  add(sentence: Sentence, machines: readonly string[]): void {
    const key = sentence.say('');
    const known = this.#sentences.get(key) ?? { sentence, machines: new Set() };
    this.#sentences.set(key, known);
    for (const id of machines) known.machines.add(id);
  }

  words(machinesOf: (ids: ReadonlySet<string>) => string): ForeseenChange[] {
    return [...this.#sentences.values()].map(({ sentence: { say, loosens }, machines }) => ({
      text: say(machinesOf(machines)),
      loosens,
    }));
  }
}

/** Rules of other firewalls may be about the machines of the firewalls that a machine gets or loses. */
async function remoteWords(
  { db, accountId }: About,
  groups: readonly Regrouped[],
  machinesOf: (ids: ReadonlySet<string>) => string,
): Promise<ForeseenChange[]> {
  const machinesWith = (id: string, now: keyof Regrouped, then: keyof Regrouped): Set<string> =>
    new Set(
      groups.flatMap((group) => (group[now].includes(id) && !group[then].includes(id) ? group.machines : [])),
    );
  const moved = idsIn(groups)
    .map((id) => ({ id, gained: machinesWith(id, 'has', 'had'), lost: machinesWith(id, 'had', 'has') }))
    .filter(({ gained, lost }) => gained.size + lost.size > 0);
  if (moved.length === 0) return [];
  const namings = await readNaming(
    db,
    accountId,
    moved.map(({ id, gained, lost }) => ({ firewallId: id, machines: [...gained, ...lost] })),
  );
  return moved.flatMap(({ id, gained, lost }) =>
    namings
      .filter(({ about }) => about === id)
      .flatMap((naming) => {
        const names = (action: 'allow' | 'drop'): boolean =>
          naming.rules.some(
            (rule) => rule.enabled && rule.action === action && rule.remote_firewall_ids.includes(id),
          );
        const group = `the machines of the firewall ${id}`;
        const allowed = `what the firewall ${naming.id} allows for ${group} is also allowed for`;
        const dropped = `what the firewall ${naming.id} drops for ${group} is no longer dropped for`;
        return [
          ...(gained.size > 0 && names('allow') ? [loosensBy(`${allowed} ${machinesOf(gained)}`)] : []),
          ...(lost.size > 0 && names('drop') ? [loosensBy(`${dropped} ${machinesOf(lost)}`)] : []),
        ];
      }),
  );
}

interface Effective {
  readonly words: ForeseenChange[];
  /** The machines that the call concerns: `12 machines`. */
  readonly machines: string;
  /** The firewalls that machines get, and those that they lose. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly isUnused: boolean;
}

const missingIn = (groups: readonly Regrouped[], now: 'had' | 'has', then: 'had' | 'has'): string[] => [
  ...new Set(groups.flatMap((group) => group[now].filter((id) => !group[then].includes(id)))),
];

/** What the call opens and closes for the machines that it concerns, and how many these are. */
export async function effectiveWords(
  change: Regrouping,
  changed: ChangedFirewall | null,
  about: About,
): Promise<Effective> {
  const { db, accountId, subject } = about;
  const { groups, isComplete } = await readRegrouped(db, accountId, change);
  const settings = new Map<string, NamedSettings>(
    groups.length === 0 ? [] : (await readSettings(db, idsIn(groups))).map((row) => [row.id, row]),
  );
  const machinesOf = ({ size }: ReadonlySet<string>): string =>
    about.machine ?? machinesIn({ machines: size, rows: isComplete ? size : Number.POSITIVE_INFINITY });
  const settingsOf = (ids: readonly string[], time: 'before' | 'after'): Settings =>
    combined(
      ids.flatMap((id) => {
        if (time === 'before' && 'about' in change && id === changed?.id) return [changed.before];
        return settings.get(id) ?? [];
      }),
    );
  const said = new Said();
  for (const { had, has, machines } of groups)
    for (const sentence of settingSentences(settingsOf(had, 'before'), settingsOf(has, 'after'), subject))
      said.add(sentence, machines);
  const all = new Set(groups.flatMap(({ machines }) => machines));
  // Some machines were not looked at: whatever may open something for one of them counts as opening.
  if (!isComplete && changed !== null)
    for (const sentence of roughSentences(changed.before, changed.after, subject))
      said.add(sentence, [...all]);
  const words = [...said.words(machinesOf), ...(await remoteWords(about, groups, machinesOf))];
  return {
    words,
    machines: machinesOf(all),
    gained: missingIn(groups, 'has', 'had'),
    lost: missingIn(groups, 'had', 'has'),
    isUnused: isComplete && all.size === 0,
  };
}

/** A firewall that no machine has: what it will open for those that get it. */
export const unusedWords = ({ before, after }: ChangedFirewall, subject: string): ForeseenChange[] =>
  settingSentences(before, after, subject).map(({ say, loosens }) =>
    (loosens ? loosensBy : says)(say(machinesIn({ machines: 0, rows: 0 }))),
  );
