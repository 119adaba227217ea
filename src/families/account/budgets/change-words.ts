/** What changes of a budget mean for those whom it limits. */
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import type { ChangeWords, ForeseenChange, Telling } from '../../../kernel/change-words/change-words.ts';
import { loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import { micro } from '../../../kernel/micro.ts';
import { keysOf } from '../../../kernel/schema.ts';
import {
  type Declaration,
  type Scope,
  sameThreshold,
  type Threshold,
} from '../../../money/budgets/budget.ts';
import { looseningsOf } from '../../../money/budgets/loosening.ts';
import { findKnownAddresses } from '../../../money/budgets/references/store.ts';

/** A declaration in which only the compared member differs from another. */
const NEUTRAL: Declaration = {
  amount: '0.00',
  currency: '',
  scope: { families: null, label_selector: null, api_key_ids: null },
  thresholds: [],
  action: 'notify',
  blocks: 'spent',
  emails: [],
  description: '',
};

const thresholdWords = ({ percent, basis }: Threshold): string =>
  `${percent} % of the ${basis === 'actual' ? 'cost so far' : 'forecast'}`;

type Sentences<M extends keyof Declaration> = (
  subject: string,
  before: Declaration[M],
  after: Declaration[M],
) => string;

/** Whether one of these loosens the budget follows from the values. */
const sentences: { readonly [M in 'amount' | 'action' | 'blocks']: Sentences<M> } = {
  amount: (subject, before, after) =>
    `${micro(after) > micro(before) ? 'raises' : 'lowers'} ${subject} from ${before} to ${after} a month`,
  action: (subject, _, after) =>
    after === 'notify'
      ? `${subject} no longer blocks new cost and only notifies`
      : `${subject} blocks new cost when its amount is reached`,
  blocks: (subject, _, after) =>
    after === 'spent'
      ? `${subject} no longer looks ahead and blocks only after its amount is spent`
      : `${subject} looks ahead and blocks calls that do not fit into its amount`,
};

/** An item that goes loosens the budget, if it counts; one that comes does not. */
function listWords<T>(
  { before, after }: { readonly before: readonly T[]; readonly after: readonly T[] },
  isSame: (one: T, other: T) => boolean,
  wordsOf: (item: T, comes: boolean) => string,
  counts: (item: T) => boolean = () => true,
): ForeseenChange[] {
  const missingIn = (list: readonly T[], other: readonly T[]): T[] =>
    list.filter((one) => !other.some((each) => isSame(each, one)));
  return [
    ...missingIn(before, after).map((item) => ({ text: wordsOf(item, false), loosens: counts(item) })),
    ...missingIn(after, before).map((item) => says(wordsOf(item, true))),
  ];
}

function isLoosening(member: keyof Declaration, before: unknown, after: unknown): boolean {
  return looseningsOf({ ...NEUTRAL, [member]: before }, { ...NEUTRAL, [member]: after }).length > 0;
}

const covered: { readonly [M in keyof Scope]?: (value: NonNullable<Scope[M]>) => string } = {
  families: (families) => `only the product families ${families.join(', ')}`,
  label_selector: (selector) => `only cost with the labels "${selector}"`,
  api_key_ids: (ids) => `only the cost of the API keys ${ids.join(', ')}`,
};
const uncovered = {
  families: 'all product families',
  label_selector: 'cost with any labels',
  api_key_ids: 'the cost of all API keys',
} as const;

function scopeWords(before: Scope, after: Scope, subject: string): ForeseenChange[] {
  return keysOf(uncovered)
    .filter((member) => canonicalJson(before[member]) !== canonicalJson(after[member]))
    .map((member) => {
      const value = after[member];
      const what = value === null ? uncovered[member] : covered[member]?.(value as never);
      const changed = { ...before, [member]: value };
      return { text: `${subject} covers ${what}`, loosens: isLoosening('scope', before, changed) };
    });
}

/** Removing an address that the account no longer knows hides nothing from its members. */
async function emailWords(
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  { db, accountId, subject }: Telling,
): Promise<ForeseenChange[]> {
  const known = await findKnownAddresses(db, accountId, before);
  return listWords<string>(
    { before, after },
    (one, other) => one.toLowerCase() === other.toLowerCase(),
    (address, comes) => `${subject} ${comes ? 'writes' : 'no longer writes'} to ${address}`,
    (address) => known.has(address.toLowerCase()),
  );
}

async function memberChanges(change: AuditChange, telling: Telling): Promise<ForeseenChange[]> {
  const { subject } = telling;
  // `writeBudget` made both from declarations, so each has the type of its member.
  const [before, after] = [change.before as never, change.after as never];
  const member = change.pointer.slice(1);
  switch (member) {
    case 'amount':
    case 'action':
    case 'blocks':
      return [
        { text: sentences[member](subject, before, after), loosens: isLoosening(member, before, after) },
      ];
    case 'thresholds':
      return listWords<Threshold>(
        { before, after },
        sameThreshold,
        (threshold, comes) =>
          `${subject} ${comes ? 'warns' : 'no longer warns'} at ${thresholdWords(threshold)}`,
      );
    case 'emails':
      return emailWords({ before, after }, telling);
    case 'scope':
      return scopeWords(before, after, subject);
    default:
      return [];
  }
}

export const budgetWords: ChangeWords = {
  members: ['amount', 'action', 'blocks', 'thresholds', 'emails', 'scope'],
  async say(effect, telling) {
    if (effect.action === 'delete')
      return [loosensBy(`${telling.subject} no longer limits costs or warns of them`)];
    if (effect.action === 'create') return [];
    const said: ForeseenChange[] = [];
    for (const change of effect.changes ?? []) said.push(...(await memberChanges(change, telling)));
    return said;
  },
};
