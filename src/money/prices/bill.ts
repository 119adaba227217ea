/**
 * Collects the result while a resource type computes its price: lines, faults of the configuration,
 * assumptions, and demands on the account's limits. It throws nothing, so that all faults of a configuration
 * are reported at once.
 */

import { nearest } from '../../kernel/did-you-mean.ts';
import type { Warning } from '../../kernel/effect.ts';
import { type Micro, micro, ONE } from '../../kernel/micro.ts';
import type { FieldCode } from '../../kernel/problems/catalogue.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Location } from '../../provider/catalogue.ts';
import type { Site } from '../../provider/metal.ts';
import { type Book, rateOf } from './book.ts';
import { formatQuantity } from './format.ts';
import { HOURS_PER_MONTH, type Line, linesOf } from './line.ts';
import type { UsageKey } from './usage.ts';

/**
 * Finds resources that a configuration refers to. Returns `null` for ids that are unknown or belong to other
 * accounts.
 */
export interface References {
  backupPolicy(id: string): { readonly keep: number } | null;
  cluster(id: string): { readonly region: string } | null;
  image(id: string): { readonly architecture: string; readonly min_disk_gb: number } | null;
}

export interface Terms {
  readonly quantity: number;
  readonly hoursPerMonth: number;
  readonly usage: Readonly<Record<string, number>>;
  readonly contractMonths: number;
  readonly at: Date;
  /** The resource exists, so rules for creation do not apply, such as a disk at least as large as the plan's. */
  readonly existing: boolean;
  /** Whether the setup price of a SKU is not paid yet. */
  owesSetup(sku: string): boolean;
  /** Whether autoscaled pools count with their minimum or maximum size. */
  readonly scale: 'min' | 'max';
  readonly references: References;
}

export interface Demand {
  readonly limit: string;
  readonly amount: number;
  readonly location: string | null;
}

interface Charge {
  readonly description: string;
  /** The quantity of one piece; the line multiplies it by the requested number of pieces. */
  readonly each: Micro;
  readonly includedEach?: Micro;
  readonly billableEach?: Micro;
  /** Billed for the whole month, even if the machine runs only part of it. */
  readonly allMonth?: boolean;
  readonly expected?: boolean;
}

export class Bill {
  readonly book: Book;
  readonly terms: Terms;
  readonly lines: Line[] = [];
  readonly problems: FieldError[] = [];
  readonly assumptions = new Set<string>();
  readonly warnings: Warning[] = [];
  readonly demands: Demand[] = [];
  readonly unpriced = new Set<string>();
  available = true;
  autoscaled = false;

  constructor(book: Book, terms: Terms) {
    this.book = book;
    this.terms = terms;
  }

  get sound(): boolean {
    return this.problems.length === 0;
  }

  fail(pointer: string, code: FieldCode, detail: string): void {
    this.problems.push({ pointer, code, detail });
  }

  /** Marks the item as not available. This is not a fault: the estimate still shows the price. */
  unavailable(detail: string, pointer?: string): void {
    this.available = false;
    this.warn('not_available', detail, pointer);
  }

  warn(code: string, detail: string, pointer?: string): void {
    if (this.warnings.some((warning) => warning.code === code && warning.detail === detail)) return;
    this.warnings.push(pointer === undefined ? { code, detail } : { code, detail, pointer });
  }

  /**
   * A limit with scope `parent` applies to each piece separately, so the amount is not multiplied by the
   * quantity.
   */
  demand(limit: string, amount: number, location: string | null = null): void {
    const pieces = this.book.limits.get(limit)?.scope === 'parent' ? 1 : this.terms.quantity;
    this.demands.push({ limit, amount: amount * pieces, location });
  }

  location(slug: string, pointer: string): Location | undefined {
    const location = this.book.locations.get(slug);
    if (!location) {
      this.unknown(pointer, 'location', slug, this.book.locations.keys());
    } else if (location.status === 'full' || location.status === 'maintenance') {
      this.unavailable(`${slug} takes no new resources now.`, pointer);
    }
    return location;
  }

  site(slug: string, pointer: string): Site | undefined {
    const site = this.book.sites.get(slug);
    if (!site) this.unknown(pointer, 'site', slug, this.book.sites.keys());
    return site;
  }

  unknown(pointer: string, noun: string, slug: string, known: Iterable<string>): void {
    const names = [...known];
    const list = names.length > 20 ? `${names.slice(0, 20).join(', ')}, …` : names.join(', ');
    const meant = nearest(slug, names);
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    const detail = `There is no ${noun} ${JSON.stringify(slug)}${hint === '' ? '.' : hint} There are: ${list}.`;
    this.fail(pointer, 'unknown_reference', detail);
  }

  charge(sku: string, location: string | null, charge: Charge): void {
    const rate = this.rate(sku, location);
    if (!rate) return;
    const pieces = this.terms.quantity;
    const all = BigInt(pieces);
    const entry = {
      description: charge.description,
      quantity: charge.each * all,
      hours: charge.allMonth ? HOURS_PER_MONTH : this.terms.hoursPerMonth,
      expected: charge.expected ?? false,
      ...(charge.includedEach === undefined ? {} : { included: charge.includedEach * all }),
      ...(charge.billableEach === undefined ? {} : { billable: charge.billableEach * all }),
    };
    const owed = this.terms.owesSetup(sku) ? rate : { ...rate, setup: 0n };
    this.lines.push(...linesOf(owed, entry, pieces));
  }

  /**
   * Adds a line for the usage that the caller expects. If the caller leaves it out, the line shows the included
   * quantity, and the assumptions mention it. If nothing is included either, there is no line, unless `always`
   * is set.
   */
  chargeUsage(
    key: UsageKey,
    sku: string,
    location: string | null,
    what: { noun: string; unit: string; includedEach?: Micro; divisor?: number; always?: boolean },
  ): void {
    const given = this.usage(key);
    const included = what.includedEach ?? this.rate(sku, location)?.included ?? 0n;
    const each = given === undefined ? included : given / BigInt(what.divisor ?? 1);
    if (given === undefined) {
      if (included > 0n) {
        this.assumptions.add(`${what.noun} within the ${formatQuantity(included)} ${what.unit} included`);
      } else if (what.always) {
        this.assumptions.add(`${what.noun}: none counted (usage.${key} left out)`);
      } else return;
    }
    const note = `, ${formatQuantity(included)} ${what.unit}${this.terms.quantity > 1 ? ' each' : ''} included`;
    const description = included > 0n ? `${what.noun}${note}` : what.noun;
    this.charge(sku, location, { description, each, includedEach: included, expected: true });
  }

  usage(key: UsageKey): Micro | undefined {
    const value = Object.hasOwn(this.terms.usage, key) ? this.terms.usage[key] : undefined;
    return value === undefined ? undefined : micro(value);
  }

  private rate(sku: string, location: string | null) {
    const rate = rateOf(this.book, sku, location, this.terms.at);
    if (!rate) {
      this.unpriced.add(sku);
      this.unavailable(`${sku} has no price at ${this.terms.at.toISOString()}.`);
    } else if (rate.elsewhere !== null && location !== null) {
      this.unavailable(`${sku} is not sold in ${location}; the price shown is that of ${rate.elsewhere}.`);
    }
    return rate;
  }
}

/** Converts a whole number of pieces to micros. */
export const count = (pieces: number): Micro => BigInt(pieces) * ONE;
