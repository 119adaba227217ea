/** Prints answers in the form that `-o` and `--query` ask for. Lists are printed page by page. */
import { asYaml } from '../../../src/surfaces/openapi/yaml.ts';
import type { Document } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { misuse } from '../failure.ts';
import type { Io } from '../io.ts';
import { nameOf } from './cells.ts';
import { chosenColumns } from './columns.ts';
import { Facts, type NameOf } from './facts.ts';
import { type Paint, paintFor } from './paint.ts';
import { printable } from './printable.ts';
import { applyQuery, parseQuery } from './query.ts';
import { columnsOf, resourcePage, Table } from './table.ts';

export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export interface ListOptions {
  /** The text of `--columns`. */
  readonly columns?: string | undefined;
  /** Finds the names of the ids in these columns of the rows. */
  readonly withNames?: (rows: readonly unknown[], columns: readonly string[]) => Promise<NameOf>;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const indent = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ');

export class Printer {
  readonly #io: Io;
  readonly #paint: Paint;
  readonly format: Format;
  readonly #query: ReturnType<typeof parseQuery> | undefined;

  constructor(io: Io, format: string | undefined, query: string | undefined) {
    this.#io = io;
    this.format = (format ?? 'table') as Format;
    this.#query = query === undefined ? undefined : parseQuery(query);
    this.#paint = paintFor(io, io.outIsTerminal);
  }

  get isForPeople(): boolean {
    return this.#query === undefined && (this.format === 'table' || this.format === 'wide');
  }

  /** Whether one resource is shown as a page of facts; `-o wide` shows every member instead. */
  get showsFacts(): boolean {
    return this.isForPeople && this.format === 'table';
  }

  /** The page of one resource. */
  facts(
    document: Document,
    value: Readonly<Record<string, unknown>>,
    schema: Schema,
    nameOf: NameOf,
  ): Promise<void> {
    return this.#io.out(new Facts(document, nameOf).page(value, schema, this.#paint));
  }

  /** A single answer. */
  async value(value: unknown): Promise<void> {
    if (this.#query !== undefined) return this.#part(applyQuery(value, this.#query));
    if (this.format === 'json') return this.#io.out(json(value));
    if (this.format === 'yaml') return this.#io.out(asYaml(value as object));
    if (this.format === 'name')
      return this.#io.out(
        [value]
          .flat()
          .map((each) => `${nameOf(each)}\n`)
          .join(''),
      );
    if (typeof value === 'string') return this.#io.out(value.endsWith('\n') ? value : `${value}\n`);
    return this.#io.out(resourcePage(value, this.#paint));
  }

  /** The rows of a list. Each page is printed before the next one is asked for. */
  async rows(
    document: Document,
    row: Schema | undefined,
    pages: AsyncIterable<readonly unknown[]>,
    { columns, withNames }: ListOptions = {},
  ): Promise<void> {
    if (columns !== undefined && !this.isForPeople)
      throw misuse('--columns is for tables. Of other output, --query chooses a part.');
    const shown =
      columns === undefined
        ? columnsOf(document, row, this.format === 'wide')
        : chosenColumns(document, row, columns);
    if (this.#query !== undefined) return this.#part(applyQuery(await all(pages), this.#query));
    if (this.format === 'json') return this.#jsonList(pages);
    const table = new Table(shown, this.#paint);
    let count = 0;
    for await (const page of pages) {
      count += page.length;
      if (page.length === 0) continue;
      if (this.format === 'yaml') await this.#io.out(asYaml(page));
      else if (this.format === 'name') await this.#io.out(page.map((each) => `${nameOf(each)}\n`).join(''));
      else if (this.format === 'wide' || withNames === undefined) await this.#io.out(table.page(page));
      else await this.#io.out(table.page(page, await withNames(page, shown)));
    }
    if (count > 0) return;
    if (this.format === 'yaml') await this.#io.out('[]\n');
    else if (this.isForPeople) this.#io.err('There is nothing to list.\n');
  }

  /** Rows that do not come from the server, with the columns to show. */
  async table(columns: readonly string[], wide: readonly string[], rows: readonly object[]): Promise<void> {
    if (!this.isForPeople) return this.value(rows);
    const shown = [...columns, ...(this.format === 'wide' ? wide : [])];
    if (rows.length === 0) return this.#io.err('There is nothing to list.\n');
    return this.#io.out(new Table(shown, this.#paint).page(rows));
  }

  async #jsonList(pages: AsyncIterable<readonly unknown[]>): Promise<void> {
    let before = '[';
    for await (const page of pages)
      for (const row of page) {
        await this.#io.out(`${before}\n  ${indent(json(row))}`);
        before = ',';
      }
    await this.#io.out(before === '[' ? '[]\n' : '\n]\n');
  }

  /** Texts and numbers are printed as they are, one on a line, so that a shell can use them. */
  async #part(part: unknown): Promise<void> {
    if (this.format === 'json') return this.#io.out(json(part));
    if (this.format === 'yaml') return this.#io.out(asYaml(part as object));
    const isSimple = (each: unknown): boolean => each === null || typeof each !== 'object';
    const line = (each: unknown): string => `${this.#io.outIsTerminal ? printable(String(each)) : each}\n`;
    if (isSimple(part)) return part === null ? undefined : this.#io.out(line(part));
    if (Array.isArray(part) && part.every(isSimple)) return this.#io.out(part.map(line).join(''));
    return this.#io.out(json(part));
  }
}

async function all(pages: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}
