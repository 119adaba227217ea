/**
 * Long lists of an answer are cut, so that it stays within the budget. Where items are missing stands an item
 * `{"left_out": "rules:25-99:1f3a9c0b"}`: the list, the numbers of the items, and a check of what they are. As `cursor`
 * of the same call its text reads them. In a body the item stands for them, unchanged (`sent-back.ts`), so that a list
 * that was read in part can be sent back and loses nothing.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import { MARK } from './customer-text.ts';
import { sizeOf } from './fit.ts';

const LEFT_OUT = 'left_out';
const TEXT = /^(\w+(?:\.\w+)*):(\d{1,6})-(\d{1,6}):([0-9a-f]{8})$/;

/** Items `from` to `to`, both included, of the list at `path` in an answer. */
export interface Part {
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly check: string;
}

export function partOf(text: unknown): Part | undefined {
  const [, path = '', from, to, check = ''] = (typeof text === 'string' && TEXT.exec(text)) || [];
  return path === '' ? undefined : { path: path.split('.'), from: Number(from), to: Number(to), check };
}

/** The part that an item of a list stands for; null if its text is not one of ours. */
export function standsFor(item: unknown): Part | null | undefined {
  if (item === null || typeof item !== 'object' || !Object.hasOwn(item, LEFT_OUT)) return undefined;
  return partOf((item as Record<string, unknown>)[LEFT_OUT]) ?? null;
}

const checkOf = (items: unknown): string =>
  createHash('sha256').update(canonicalJson(items)).digest('hex').slice(0, 8);

/** `customer_text` is a place of the answer only: the list stands beside it in the resource. */
const inResource = (path: readonly string[]): readonly string[] => path.filter((name) => name !== MARK);

/** The member of the resource in which the part is. */
export const memberOf = ({ path }: Part): string => inResource(path)[0] ?? '';

const listAt = (resource: unknown, path: readonly string[]): readonly unknown[] => {
  const found = inResource(path).reduce<unknown>(
    (value, name) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    resource,
  );
  return Array.isArray(found) ? found : [];
};

/** The items as the resource has them now; undefined if they are not those that were left out. */
export function itemsOf({ path, from, to, check }: Part, resource: unknown): readonly unknown[] | undefined {
  const items = listAt(resource, path).slice(from, to + 1);
  return checkOf(items) === check ? items : undefined;
}

interface View {
  readonly from: number;
  readonly end: number;
}

interface Shown extends View {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
  readonly size: number;
}

class Cutting {
  readonly #resource: unknown;
  readonly #views = new Map<string, View>();
  /** The lists with more than one item in view, as they were rendered last. */
  lists: Shown[] = [];

  constructor(resource: unknown) {
    this.#resource = resource;
  }

  get cut(): readonly string[] {
    return [...this.#views.keys()];
  }

  look(path: readonly string[], view: View): void {
    this.#views.set(path.join('.'), view);
  }

  render(value: unknown, path: readonly string[] = []): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (!Array.isArray(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, this.render(member, [...path, name])]),
      );
    const { from, end } = this.#views.get(path.join('.')) ?? { from: 0, end: value.length };
    const items = value.slice(from, end).map((item, i) => this.render(item, [...path, String(from + i)]));
    if (items.length > 1) this.lists.push({ path, from, end, items, size: sizeOf(items) });
    return [
      ...this.#placeholder(path, 0, from),
      ...items,
      ...this.#placeholder(path, end, Math.max(end, value.length)),
    ];
  }

  #placeholder(path: readonly string[], from: number, end: number): object[] {
    if (from >= end) return [];
    const check = checkOf(listAt(this.#resource, path).slice(from, end));
    return [{ [LEFT_OUT]: `${path.join('.')}:${from}-${end - 1}:${check}` }];
  }
}

/** How many tokens the items for what is left out cost, before and after. */
const PLACEHOLDERS = 60;

function countThatFits(items: readonly unknown[], room: number): number {
  let used = 0;
  const over = items.findIndex((item) => {
    used += sizeOf(item) + 1;
    return used > room;
  });
  return Math.min(items.length - 1, Math.max(1, over));
}

export interface CutOptions {
  readonly budget: number;
  /** Whether the last items are the ones to keep, as in a log. */
  readonly keepsEnd: boolean;
  /** What is read on with. */
  readonly part?: Part | undefined;
}

/** `shown` is the resource with marked texts. The longest list loses items first, and no list loses all of them. */
export function cutLists(
  shown: unknown,
  resource: unknown,
  { budget, keepsEnd, part }: CutOptions,
): { readonly value: unknown; readonly cut: readonly string[] } {
  const cutting = new Cutting(resource);
  if (part !== undefined)
    cutting.look(part.path, { from: part.from, end: listAt(resource, part.path).length });
  for (;;) {
    cutting.lists = [];
    const value = cutting.render(shown);
    const size = sizeOf(value);
    const [longest] = cutting.lists.toSorted((a, b) => b.size - a.size);
    if (size <= budget || longest === undefined) return { value, cut: cutting.cut };
    const { path, from, end, items } = longest;
    const room = budget - (size - longest.size) - PLACEHOLDERS;
    const isLog = keepsEnd && part === undefined;
    const count = countThatFits(isLog ? items.toReversed() : items, room);
    cutting.look(path, isLog ? { from: end - count, end } : { from, end: from + count });
  }
}
