/**
 * Parts of a resource often have no name of their own: an attachment of a firewall, a rule, an address. People name them
 * by what they contain (`22`, `203.0.113.7`) or by the resource that they belong to: `firewall detach web app`.
 */
import type { Document, Operation } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import { isObject } from '../input/body.ts';
import { isId, type Params } from '../input/references.ts';
import { plain } from '../output/paint.ts';
import { columnsOf, Table } from '../output/table.ts';
import type { Session } from '../session.ts';
import { idsIn, ResourceNames } from './resource-names.ts';

type Row = Readonly<Record<string, unknown>>;

/** Whether the last argument of the command is such a part: it is read inside of something else, and has no name. */
export function isNamelessPart(document: Document, { resource }: Operation, parameter: string): boolean {
  if (resource.parameter !== parameter || resource.read?.in === undefined || resource.key === 'name')
    return false;
  const list = document.listOf(resource.name);
  const row = list && document.rowOf(list);
  return row === undefined || document.schemas.members(row)['name'] === undefined;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value);
  else if (value !== null && typeof value === 'object')
    for (const part of Object.values(value)) yield* textsIn(part);
}

/** The value that the path takes for the part that a text means. */
export async function partNamed(
  session: Session,
  document: Document,
  { resource }: Operation,
  params: Params,
  text: string,
): Promise<string> {
  const read = document.find(resource.read?.operation ?? '');
  if (isId(text) || read === undefined) return text;
  const { body } = await session.client.call({
    method: 'GET',
    path: urlOf(read.path, { params, query: {} }),
  });
  const found = (resource.read?.in ?? '')
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), body);
  const rows: Row[] = Array.isArray(found) ? found.filter(isObject) : [];
  const key = resource.key ?? 'id';
  const names = new ResourceNames(session, document);
  await names.learn(rows);
  const has = (row: Row): boolean =>
    [...textsIn(row)].includes(text) || idsIn(row).some((id) => names.nameOf(id) === text);
  const [first, ...others] = rows.filter(has);
  if (first !== undefined && others.length === 0) return String(first[key]);
  const noun = resource.name.replaceAll('_', ' ');
  const schema = rowSchema(document, resource, read);
  const columns = [...new Set([key, ...columnsOf(document, schema, false)])];
  const shown = (some: readonly Row[]): string =>
    new Table(columns, plain).page(some, names.nameOf).trimEnd().replaceAll(/^/gm, '  ');
  if (first !== undefined)
    throw new Failure(
      `"${text}" fits several (${noun}). Name one by its id:\n${shown([first, ...others])}`,
      exitCodes.usage,
    );
  const there = rows.length === 0 ? 'There is none.' : `There are:\n${shown(rows)}`;
  throw new Failure(`There is no ${noun} for "${text}". ${there}`, exitCodes.notFound);
}

/** The schema of the parts: the rows of their list, or the items inside of what contains them. */
export function rowSchema(
  document: Document,
  { name, read: where }: Operation['resource'],
  read: Operation,
): Schema | undefined {
  const list = document.listOf(name);
  if (list !== undefined) return document.rowOf(list);
  let schema: Schema | undefined = read.answer;
  for (const member of (where?.in ?? '').split('/').slice(1))
    schema = schema && document.schemas.members(schema)[member];
  return schema && document.schemas.plain(schema).items;
}
