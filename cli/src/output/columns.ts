/** `--columns name,price.monthly`: which columns a table shows. A dot leads into a member. */
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { Document } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { misuse } from '../failure.ts';

/** A column by the heading that lists print: `FIREWALLS` are the `firewall_ids`. */
function memberOf(document: Document, row: Schema | undefined, given: string): string {
  const members = row === undefined ? {} : document.schemas.members(row);
  const name = given.toLowerCase().replaceAll(' ', '_');
  const meant = [given, name, `${name}_id`, `${name.replace(/s$/, '')}_ids`];
  return meant.find((each) => each in members) ?? given;
}

export function chosenColumns(document: Document, row: Schema | undefined, text: string): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim().replaceAll('-', '_'))
    .filter((name) => name !== '')
    .map((name) => memberOf(document, row, name));
  if (names.length === 0) throw misuse('--columns needs names of members, such as name,status.');
  for (const name of names) check(document, row, name.split('.'), name);
  return names;
}

function check(document: Document, schema: Schema | undefined, path: readonly string[], whole: string): void {
  const [name = '', ...rest] = path;
  const members = schema === undefined ? {} : document.schemas.members(schema);
  const known = Object.keys(members);
  // Labels and other maps have members that the document does not name.
  if (known.length === 0) return;
  const member = members[name];
  if (member === undefined) {
    const near = nearest(name, known);
    const hint = near === null ? `There is ${known.join(', ')}.` : `Did you mean ${near}?`;
    throw misuse(`There is no column "${whole}". ${hint}`);
  }
  if (rest.length > 0) check(document, member, rest, whole);
}

/** The value of a column in a row. */
export function valueAt(row: unknown, column: string): unknown {
  let found = row;
  for (const name of column.split('.'))
    found =
      found !== null && typeof found === 'object' && !Array.isArray(found)
        ? (found as Record<string, unknown>)[name]
        : undefined;
  return found;
}
