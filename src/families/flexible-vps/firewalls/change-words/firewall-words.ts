/** What a dry run says about the change of a firewall, of its attachments, and about its deletion. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../../kernel/change-words/change-words.ts';
import { changeOf, machinesIn, quoted, says } from '../../../../kernel/change-words/change-words.ts';
import type { Effect } from '../../../../kernel/effect.ts';
import { readFirewall } from '../store.ts';
import type { FirewallRow } from '../table.ts';
import { effectiveWords, OPEN, unusedWords } from './effective.ts';
import type { Settings } from './openings.ts';
import { type OtherWay, readOtherWays, type Target } from './store.ts';

function targetWords(target: Target): string {
  if (target.type === 'label_selector') return `all machines with the labels ${quoted(target.selector)}`;
  return `the ${target.type === 'vm' ? 'machine' : target.type} ${target.id}`;
}

/** Why machines have the firewall whatever happens to the targets of the call. */
function otherWayWords(
  { target, machines, isComplete }: OtherWay,
  subject: string,
  isGained: boolean,
): string {
  const [only] = machines;
  const isOne = machines.length === 1 && isComplete;
  const who = isOne
    ? `the machine ${only}`
    : machinesIn({ machines: machines.length, rows: isComplete ? 0 : Number.POSITIVE_INFINITY });
  const verb = isGained ? (isOne ? 'already has' : 'already have') : isOne ? 'keeps' : 'keep';
  return `${who} ${verb} ${subject}, because it is attached to ${targetWords(target)}`;
}

const missingIn = (list: readonly Target[], other: readonly Target[]): Target[] => {
  const known = new Set(other.map((target) => JSON.stringify(target)));
  return list.filter((target) => !known.has(JSON.stringify(target)));
};

async function attachmentWords(
  { before, after }: { readonly before: readonly Target[]; readonly after: readonly Target[] },
  row: FirewallRow,
  telling: Telling,
): Promise<ForeseenChange[]> {
  const { subject } = telling;
  const [added, removed] = [missingIn(after, before), missingIn(before, after)];
  const isGained = added.length > 0;
  const { words, isUnused } = await effectiveWords(
    { changed: row.id, added, removed },
    { id: row.id, before: isGained ? OPEN : row, after: isGained ? row : OPEN },
    { ...telling, subject: isGained ? subject : `the removal of ${subject}` },
  );
  const others = await readOtherWays(telling.db, telling.accountId, row.id, [...added, ...removed]);
  const isIdle = isUnused && others.length === 0;
  return [
    ...added.map((target) =>
      says(`attaches ${subject} to ${targetWords(target)}${isIdle ? ', which changes no machine yet' : ''}`),
    ),
    ...removed.map((target) =>
      says(`takes ${subject} from ${targetWords(target)}${isIdle ? ', which changes no machine' : ''}`),
    ),
    ...others.map((other) => says(otherWayWords(other, subject, isGained))),
    ...words,
  ];
}

const members = ['default_in', 'default_out', 'rules'] as const;

async function settingWords(effect: Effect, row: FirewallRow, telling: Telling): Promise<ForeseenChange[]> {
  const old = members.flatMap((name) => {
    const change = changeOf(effect, name);
    return change === undefined ? [] : [[name, change.before]];
  });
  if (old.length === 0) return [];
  const before: Settings = { ...row, ...Object.fromEntries(old) };
  const changed = { id: row.id, before, after: row };
  const { words, isUnused } = await effectiveWords({ about: row.id }, changed, telling);
  const said = isUnused ? unusedWords(changed, telling.subject) : words;
  const nothing = `changes the rules of ${telling.subject}, but opens and closes nothing`;
  return said.length === 0 ? [says(nothing)] : said;
}

async function deletionWords(row: FirewallRow, telling: Telling): Promise<ForeseenChange[]> {
  const { subject } = telling;
  const { words, machines, isUnused } = await effectiveWords(
    { deleted: row.id },
    { id: row.id, before: row, after: OPEN },
    { ...telling, subject: `the removal of ${subject}` },
  );
  return isUnused ? [] : [says(`takes ${subject} from ${machines}`), ...words];
}

export const firewallWords: ChangeWords = {
  members: [...members, 'attachments'],
  async say(effect, telling) {
    const { action, id, changes = [] } = effect;
    const isKnown = action === 'delete' || (action !== 'create' && changes.length > 0);
    const row = isKnown && id !== null ? await readFirewall(telling.db, id) : undefined;
    if (row === undefined) return [];
    if (action === 'delete') return deletionWords(row, telling);
    const attachments = changeOf<readonly Target[]>(effect, 'attachments');
    return [
      ...(attachments === undefined ? [] : await attachmentWords(attachments, row, telling)),
      ...(await settingWords(effect, row, telling)),
    ];
  },
};
