/** Tables of rows, which may come page by page, and the page of a single resource. */
import type { Document } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { cell, longCell } from './cells.ts';
import { valueAt } from './columns.ts';
import type { NameOf } from './facts.ts';
import { wordsOf } from './labels.ts';
import type { Paint } from './paint.ts';

/** The columns that the document names for tables (`x-column`); all single values if it names none. */
export function columnsOf(document: Document, row: Schema | undefined, isWide: boolean): string[] {
  const members = row === undefined ? {} : document.schemas.members(row);
  const names = Object.keys(members);
  const placeOf = (name: string): number =>
    members[name]?.['x-column'] ?? document.schemas.plain(members[name] ?? {})['x-column'] ?? 0;
  const marked = names.filter((name) => placeOf(name) > 0).sort((a, b) => placeOf(a) - placeOf(b));
  const single = names.filter((name) => isSingle(document, members[name] ?? {}));
  if (marked.length === 0) return single;
  // What other commands take: a slug, else the name, else the id.
  const isNamed = marked.includes('name') && !isWide;
  const identity = names.includes('slug') ? ['slug'] : names.includes('id') && !isNamed ? ['id'] : [];
  const labels = isWide && names.includes('labels') ? ['labels'] : [];
  return [...new Set([...identity, ...marked, ...labels, ...(isWide ? single : [])])];
}

function isSingle({ schemas }: Document, schema: Schema): boolean {
  const { type, enum: values, properties, items } = schemas.plain(schema);
  return properties === undefined && items === undefined && (values !== undefined || type !== 'object');
}

/** The value with names instead of the ids of other resources. */
function named(value: unknown, column: string, nameOf: NameOf): unknown {
  if (column === 'id') return value;
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => named(item, column, nameOf));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, named(part, key === 'id' ? column : key, nameOf)]),
  );
}

const pad = (text: string, width: number, isLast: boolean): string => (isLast ? text : text.padEnd(width));

export class Table {
  readonly #columns: readonly string[];
  readonly #paint: Paint;
  #widths: number[] | undefined;

  constructor(columns: readonly string[], paint: Paint) {
    this.#columns = columns;
    this.#paint = paint;
  }

  /** The lines of a page. The first page decides the widths, because the first line is printed before the last page came. */
  page(rows: readonly unknown[], nameOf?: NameOf): string {
    const lines = rows.map((row) =>
      this.#columns.map((name) => cell(named(valueAt(row, name), name, nameOf ?? (() => undefined)))),
    );
    const head = this.#columns.map((name) => {
      const words = nameOf === undefined ? name : wordsOf(name, {});
      return words.replaceAll(/[_.]/g, ' ').toUpperCase();
    });
    const isFirst = this.#widths === undefined;
    this.#widths ??= head.map((title, i) =>
      Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)),
    );
    const written = lines.map((line) => this.#line(line, (text, i) => this.#coloured(i, text)));
    return [...(isFirst ? [this.#line(head, this.#paint.bold)] : []), ...written].join('');
  }

  #line(texts: readonly string[], paint: (text: string, index: number) => string): string {
    const cells = texts.map((text, i) => {
      const padded = pad(text, this.#widths?.[i] ?? 0, i === texts.length - 1);
      return paint(padded, i);
    });
    return `${cells.join('  ').trimEnd()}\n`;
  }

  #coloured(index: number, text: string): string {
    return this.#columns[index] === 'status' ? this.#paint.status(text) : text;
  }
}

/** One line for each member; members of members have dots. */
export function resourcePage(value: unknown, paint: Paint): string {
  const lines = linesOf(value, '');
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines
    .map(([name, text]) => {
      const shown = name === 'status' ? paint.status(text) : text;
      return `${paint.bold(name.padEnd(width))}  ${shown.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}\n`;
    })
    .join('');
}

function linesOf(value: unknown, name: string): [string, string][] {
  const inner = (key: string | number): string => (name === '' ? String(key) : `${name}.${key}`);
  if (Array.isArray(value) && value.some((item) => item !== null && typeof item === 'object'))
    return value.flatMap((item, i) => linesOf(item, inner(i)));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[name, longCell(value)]];
  const entries = Object.entries(value);
  return entries.length === 0 ? [[name, '-']] : entries.flatMap(([key, part]) => linesOf(part, inner(key)));
}
