/** The page of one resource: what matters first, names instead of ids, members of a member together, nothing empty. */
import type { Document } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { cell, longCell } from './cells.ts';
import { labelOf, wordsOf } from './labels.ts';
import type { Paint } from './paint.ts';

type Members = Readonly<Record<string, unknown>>;

/** The name of a resource by its id; undefined if it is not known. */
export type NameOf = (id: string) => string | undefined;

interface Fact {
  readonly label: string;
  readonly text: string;
  readonly isStatus?: boolean;
}

/** A member of a member stays on one line up to this length. */
const LINE = 76;

/** A member with so few members is meant when its name is said; of a larger one, people want to see more. */
const FEW = 4;

/** For programs that write; a person reads it with `-o wide`. */
const technical = new Set(['etag', 'href']);

const isMap = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.values(value).every(isEmpty);
}

/** What a longer list of values breaks into lines at. */
const WIDTH = 88;

export class Facts {
  readonly #document: Document;
  readonly #nameOf: NameOf;

  constructor(document: Document, nameOf: NameOf) {
    this.#document = document;
    this.#nameOf = nameOf;
  }

  page(value: Members, schema: Schema, paint: Paint): string {
    const facts: Fact[] = [];
    const groups: string[] = [];
    for (const [name, part, member] of this.#members(value, schema, true)) {
      const label = labelOf(name, member);
      // Its own id is what other programs take, so it stays as it is.
      const text = name === 'id' ? longCell(part) : this.#line(part, member);
      if (text !== undefined) facts.push({ label, text, isStatus: name === 'status' });
      else groups.push(`${paint.bold(label)}\n${this.#group(part, member, paint)}`);
    }
    return [table(facts, paint, ''), ...groups].filter((part) => part !== '').join('\n');
  }

  /** The members that are not empty. In a page, columns of tables come first, and times last. */
  #members(value: Members, schema: Schema, isPage = false): [string, unknown, Schema][] {
    const { schemas } = this.#document;
    const known = schemas.members(schemas.alternative(schema, value));
    const rank = (name: string, { 'x-column': column, format }: Schema): number => {
      if (!isPage) return 0;
      if (column !== undefined) return column;
      if (name === 'id') return 90;
      return format === 'date-time' ? 200 : 100;
    };
    return Object.entries(value)
      .filter(([name, part]) => !isEmpty(part) && !technical.has(name))
      .map(([name, part]): [string, unknown, Schema] => [name, part, schemas.plain(known[name] ?? {})])
      .sort(([a, , first], [b, , second]) => rank(a, first) - rank(b, second));
  }

  /** A member that has no room on one line: a table of its items, or its own facts. */
  #group(value: unknown, schema: Schema, paint: Paint): string {
    if (Array.isArray(value)) return this.#rows(value.filter(isMap), schema, paint);
    const facts = this.#members(value as Members, schema, true).map(([name, part, member]) => ({
      label: labelOf(name, member),
      text: this.#text(part, member),
    }));
    return table(facts, paint, '  ');
  }

  #rows(rows: readonly Members[], { items = {} }: Schema, paint: Paint): string {
    const item = this.#document.schemas.plain(items);
    const known = this.#document.schemas.members(item);
    const schemaOf = (name: string): Schema => this.#document.schemas.plain(known[name] ?? {});
    const marked = Object.keys(known).filter((name) => schemaOf(name)['x-column'] !== undefined);
    const names = (marked.length > 0 ? ['id', ...marked] : rows.flatMap(Object.keys)).filter(
      (name) => !technical.has(name) && rows.some((row) => !isEmpty(row[name])),
    );
    const columns = [...new Set(names)];
    const cells = rows.map((row) =>
      columns.map((name) => cell(isEmpty(row[name]) ? '' : this.#text(row[name], schemaOf(name)))),
    );
    const head = columns.map((name) => wordsOf(name, schemaOf(name)).toUpperCase());
    const widths = head.map((title, i) =>
      Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)),
    );
    const written = (line: readonly string[]): string =>
      `  ${line.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd();
    return `${[paint.dim(written(head)), ...cells.map(written)].join('\n')}\n`;
  }

  /** The whole value as text, however long it is. */
  #text(value: unknown, schema: Schema): string {
    if (!Array.isArray(value) || !value.some(isMap))
      return this.#line(value, schema, Number.POSITIVE_INFINITY) ?? longCell(value);
    const items = this.#document.schemas.plain(schema.items ?? {});
    return value.map((item) => this.#text(item, items)).join('; ');
  }

  /** The value on one line; undefined if it has too much for that. */
  #line(value: unknown, schema: Schema, longest = LINE): string | undefined {
    if (Array.isArray(value)) {
      if (value.some(isMap)) return undefined;
      const items = this.#document.schemas.plain(schema.items ?? {});
      return value.map((item) => this.#single(item, items)).join(', ');
    }
    if (!isMap(value)) return this.#single(value, schema);
    const text = this.#objectLine(value, schema);
    return text === undefined || text.length > longest || (text.includes('\n') && longest === LINE)
      ? undefined
      : text;
  }

  #objectLine(value: Members, schema: Schema): string | undefined {
    const filled = Object.keys(value).filter((key) => !isEmpty(value[key]));
    const { monthly, currency, name, type, id, status, done } = value;
    if (typeof monthly === 'string' && typeof currency === 'string') return `${monthly} ${currency} a month`;
    // Work that goes on: its page is a command of its own.
    if (typeof done === 'boolean' && typeof id === 'string') return longCell(`${type} ${status} (${id})`);
    if (typeof name === 'string' && name !== '' && filled.length <= FEW) return longCell(name);
    if (filled.length === 2 && typeof type === 'string' && typeof id === 'string')
      return `${longCell(type)} ${this.#single(id, {})}`;
    const known = this.#document.schemas.members(this.#document.schemas.alternative(schema, value));
    if (Object.keys(known).length === 0 && filled.every((key) => typeof value[key] === 'string'))
      return Object.entries(value)
        .map(([key, part]) => longCell(part === '' ? key : `${key}=${part}`))
        .join(', ');
    return this.#members(value, schema)
      .map(([key, part, member]) => {
        const text = this.#text(part, member);
        return `${wordsOf(key, member)} ${isMap(part) ? `(${text})` : text}`;
      })
      .join(', ');
  }

  #single(value: unknown, schema: Schema): string {
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (typeof value === 'number') return `${value}${unitOf(schema)}`;
    return longCell((typeof value === 'string' ? this.#nameOf(value) : undefined) ?? value);
  }
}

const unitOf = ({ 'x-unit': unit }: Schema): string => {
  if (unit === undefined) return '';
  return unit === 'percent' ? ' %' : ` ${unit}`;
};

/** Breaks a list of many values into lines. */
function wrapped(text: string): string {
  if (text.length <= WIDTH || text.includes('\n')) return text;
  let length = 0;
  return text
    .split(', ')
    .map((part, i) => {
      const isNewLine = i > 0 && length + part.length + 2 > WIDTH;
      length = isNewLine ? part.length : length + part.length + 2;
      return i === 0 ? part : `,${isNewLine ? '\n' : ' '}${part}`;
    })
    .join('');
}

function table(facts: readonly Fact[], paint: Paint, indent: string): string {
  const width = Math.max(0, ...facts.map(({ label }) => label.length));
  const further = `\n${' '.repeat(indent.length + width + 2)}`;
  return facts
    .map(({ label, text, isStatus }) => {
      const shown = wrapped(isStatus ? paint.status(text) : text).replaceAll('\n', further);
      return `${indent}${paint.bold(label.padEnd(width))}  ${shown}\n`;
    })
    .join('');
}
