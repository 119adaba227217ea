/**
 * Validates the body of `setBudget` and turns it into a `Declaration`: defaults filled in, all references
 * checked.
 */
import { micro } from '../../kernel/micro.ts';
import { parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import { type FieldError, invalid, Problem } from '../../kernel/problems/problem.ts';
import type { Db } from '../../store/database.ts';
import { formatMoney } from '../prices/format.ts';
import { type Declaration, sameThreshold, type Threshold } from './budget.ts';
import { looseningsOf } from './loosening.ts';
import { findKnownAddresses, findLineages, readCurrency } from './references/store.ts';
import type { SetBudget } from './schema.ts';

const LEAST = micro('0.01');
const MOST = micro('10000000');

const thresholdsOf = ({ thresholds }: SetBudget): Threshold[] =>
  thresholds.map(({ percent, basis = 'actual' }) => ({ percent, basis }));

function selectorFaults({ scope }: SetBudget): readonly FieldError[] {
  try {
    if (scope?.label_selector) parseLabelSelector(scope.label_selector, '/scope/label_selector');
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
}

/** Checks the rules that the schema cannot express and that need no database query. */
export function refuseFaults(body: SetBudget): void {
  const faults: FieldError[] = [...selectorFaults(body)];
  const amount = micro(body.amount);
  if (amount < LEAST || amount > MOST) {
    const detail = 'Must be from 0.01 to 10000000.00.';
    faults.push({ pointer: '/amount', code: 'out_of_range', detail });
  }
  const thresholds = thresholdsOf(body);
  thresholds.forEach((threshold, i) => {
    if (!thresholds.slice(0, i).some((other) => sameThreshold(other, threshold))) return;
    const detail = `${threshold.percent} % (${threshold.basis}) is already in the list.`;
    faults.push({ pointer: `/thresholds/${i}`, code: 'not_unique', detail });
  });
  if (faults.length > 0) throw invalid(faults);
}

/** Fills in all defaults. Throws 422 for a wrong currency, unknown API keys and unknown email addresses. */
export async function declare(db: Db, accountId: string, body: SetBudget): Promise<Declaration> {
  const { scope, emails = [], action = 'notify', blocks = 'forecast', description = '' } = body;
  const currency = await readCurrency(db, accountId);
  const faults: FieldError[] = [];
  if (body.currency !== undefined && body.currency !== currency) {
    const detail = `This account is billed in ${currency}.`;
    faults.push({ pointer: '/currency', code: 'unknown_reference', detail });
  }
  const keys = scope?.api_key_ids ?? [];
  const lineages = await findLineages(db, accountId, keys);
  keys.forEach((id, i) => {
    if (lineages.includes(id)) return;
    const detail = 'The account has no API key with this id.';
    faults.push({ pointer: `/scope/api_key_ids/${i}`, code: 'unknown_reference', detail });
  });
  const known = await findKnownAddresses(db, accountId, emails);
  emails.forEach((address, i) => {
    if (known.has(address.toLowerCase())) return;
    const detail = 'No member or contact of the account has this address. Add it there first.';
    faults.push({ pointer: `/emails/${i}`, code: 'unverified_email', detail });
  });
  if (faults.length > 0) throw invalid(faults);
  return {
    amount: formatMoney(micro(body.amount)),
    currency,
    scope: {
      families: scope?.families ?? null,
      label_selector: scope?.label_selector ?? null,
      api_key_ids: scope?.api_key_ids == null ? null : lineages,
      named_key_ids: scope?.api_key_ids ?? null,
    },
    thresholds: thresholdsOf(body),
    action,
    blocks,
    emails,
    description,
  };
}

/**
 * What the change loosens, in words. Email addresses that the account no longer knows may be removed, because this
 * hides nothing from its members.
 */
export async function findLoosenings(
  db: Db,
  accountId: string,
  before: Declaration,
  after: Declaration,
): Promise<string[]> {
  const known = await findKnownAddresses(db, accountId, before.emails);
  const emails = before.emails.filter((address) => known.has(address.toLowerCase()));
  return looseningsOf({ ...before, emails }, after);
}

/** Throws if the change loosens a locked budget. */
export function refuseLoosening(loosenings: readonly string[]): void {
  if (loosenings.length === 0) return;
  throw new Problem('portal_only', {
    detail: `The budget is locked and may only be tightened. ${loosenings.join(' ')}`,
  });
}
