/** Checks each entry of the price list alone: its period, its amounts, its tiers, and that no entry is repeated. */
import { micro } from '../../kernel/micro.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';
import type { PriceEntry, PriceRow } from '../price-entry.ts';
import { instant } from '../price-entry.ts';

type Amount = 'hourly' | 'monthly' | 'unit_price';
const amounts: readonly Amount[] = ['hourly', 'monthly', 'unit_price'];

export function checkPrices(draft: Draft, report: Report): void {
  const seen = new Map<string, string>();
  for (const { path, value } of draft.entries('prices')) {
    const key = `${value.sku} ${value.valid_from}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, path);
    else
      report(
        `${path}/sku`,
        `${value.sku} from ${value.valid_from} is already at ${earlier}.`,
        'Keep one of them.',
      );
    checkPeriod(path, value, report);
    checkRows(path, value, report);
  }
}

function checkPeriod(path: string, entry: PriceEntry, report: Report): void {
  for (const member of ['valid_from', 'valid_until'] as const) {
    const text = entry[member];
    if (text !== null && Number.isNaN(instant(text))) {
      report(`${path}/${member}`, `${text} is not a day of the calendar.`, 'Write it as 2026-02-15.');
    }
  }
  if (entry.valid_until !== null && instant(entry.valid_until) <= instant(entry.valid_from)) {
    report(`${path}/valid_until`, 'The price ends before it begins.', 'Give a day after valid_from.');
  }
}

function checkRows(path: string, entry: PriceEntry, report: Report): void {
  const places = new Set<string | null>();
  entry.prices.forEach((row, index) => {
    const at = `${path}/prices/${index}`;
    if (places.has(row.location)) {
      const place = row.location ?? 'all other places';
      report(`${at}/location`, `There are two prices for ${place}.`, 'Keep one of them.');
    }
    places.add(row.location);
    checkAmounts(at, entry, row, report);
    checkTiers(at, entry, row, report);
  });
}

function checkAmounts(at: string, entry: PriceEntry, row: PriceRow, report: Report): void {
  const { needed, allowed } = expected(entry, row);
  const kind = `${entry.billing} per ${entry.unit}`;
  if (needed && row[needed] === undefined) {
    report(at, `A price ${kind} needs ${needed}.`, `Add ${needed} to this row.`);
  }
  for (const member of amounts) {
    if (row[member] !== undefined && member !== needed && member !== allowed) {
      report(
        `${at}/${member}`,
        `A price ${kind} has no ${member}.`,
        'Remove it, or correct billing and unit.',
      );
    }
  }
  if (row.hourly !== undefined && row.monthly !== undefined && micro(row.monthly) < micro(row.hourly)) {
    report(`${at}/monthly`, 'A month costs less than an hour.', 'Check whether the two were mixed up.');
  }
}

function expected(entry: PriceEntry, row: PriceRow): { needed: Amount | null; allowed: Amount | null } {
  switch (entry.billing) {
    case 'hourly_capped':
      return entry.unit === 'hour'
        ? { needed: 'hourly', allowed: 'monthly' }
        : { needed: 'unit_price', allowed: null };
    case 'monthly':
      return { needed: 'monthly', allowed: null };
    case 'metered':
      return { needed: row.tiers.length > 0 ? null : 'unit_price', allowed: null };
    case 'one_time':
      return { needed: 'unit_price', allowed: null };
  }
}

function checkTiers(at: string, entry: PriceEntry, row: PriceRow, report: Report): void {
  if (row.tiers.length === 0) return;
  if (entry.billing !== 'metered') {
    report(`${at}/tiers`, 'Only metered prices have tiers.', 'Remove them, or set billing to metered.');
  }
  row.tiers.forEach((tier, index) => {
    const before = row.tiers[index - 1];
    const from = `${at}/tiers/${index}/from_quantity`;
    if (before === undefined && micro(tier.from_quantity) !== 0n) {
      report(from, 'The first tier begins above 0.', 'Set its from_quantity to 0.');
    }
    if (before !== undefined && micro(tier.from_quantity) <= micro(before.from_quantity)) {
      report(from, 'Each tier must begin above the tier before it.', 'Put the tiers in ascending order.');
    }
  });
}
