/** Which field shows a member. The law `form-fields.test.ts` asks for one for every member of every request. */
import type { Resolve, Schema } from './document.ts';

export const kinds = [
  'alternatives',
  'group',
  'items',
  'pairs',
  'settings',
  'reference',
  'references',
  'events',
  'choice',
  'choices',
  'texts',
  'flag',
  'number',
  'time',
  'secret',
  'long-text',
  'text',
] as const;

export type Kind = (typeof kinds)[number];

/** Longer texts are files or keys that people paste. */
const LONG = 1000;

function kindOfList(items: Schema): Kind | null {
  if (items['x-ref'] !== undefined) return 'references';
  if (items['x-event-type'] !== undefined) return 'events';
  if (items['enum'] !== undefined) return 'choices';
  if (items['properties'] !== undefined) return 'items';
  return ['string', 'integer', 'number'].includes(String(items['type'])) ? 'texts' : null;
}

function kindOfObject({ properties, additionalProperties: others }: Schema, resolve: Resolve): Kind | null {
  if (properties !== undefined) return 'group';
  if (others === undefined) return 'settings';
  const isText = typeof others === 'object' && resolve(others as Schema)['type'] === 'string';
  return isText ? 'pairs' : null;
}

/** Null: no field can show it. */
export function kindOf(schema: Schema, resolve: Resolve): Kind | null {
  const { type, format } = schema;
  if (schema['discriminator'] !== undefined) return 'alternatives';
  if (type === 'object') return kindOfObject(schema, resolve);
  if (type === 'array') return kindOfList(resolve(schema['items'] as Schema));
  if (schema['x-ref'] !== undefined) return 'reference';
  if (schema['enum'] !== undefined) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  // A signed link has to be seen to be checked while it is typed.
  if (schema['x-secret'] === true && format !== 'uri') return 'secret';
  if (format === 'date-time') return 'time';
  if (type !== 'string') return schema['oneOf'] === undefined ? null : 'text';
  return Number(schema['maxLength'] ?? 0) > LONG && format === undefined ? 'long-text' : 'text';
}
