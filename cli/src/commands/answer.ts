/** Prints the answer of a call: for people a page of facts, for programs the answer as it is. */
import type { Schema } from '../document/schema.ts';
import { isObject } from '../input/body.ts';
import { printerFor, type Session } from '../session.ts';
import type { Prepared } from './prepared.ts';
import { ResourceNames } from './resource-names.ts';

export async function printAnswer(
  session: Session,
  { document, given }: Prepared,
  value: unknown,
  schema: Schema,
): Promise<void> {
  const printer = printerFor(session.io, given);
  if (!printer.showsFacts || !isObject(value)) return printer.value(value);
  const names = new ResourceNames(session, document);
  const { id: _, ...rest } = value;
  await names.learn(rest);
  return printer.facts(document, value, schema, names.nameOf);
}
