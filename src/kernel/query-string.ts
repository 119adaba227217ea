/** Converts query parameters from text to the types of the schema. Text that does not convert is left unchanged. */
import { type FieldError, Problem } from './problems/problem.ts';
import type { TObject } from './schema.ts';

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly items?: PropertySchema;
  readonly default?: unknown;
}

function convertOne(schema: PropertySchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d{1,15}(\.\d{1,30})?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

function convert(schema: PropertySchema, raw: unknown): unknown {
  if (schema.type !== 'array') return typeof raw === 'string' ? convertOne(schema, raw) : raw;
  const parts = (Array.isArray(raw) ? raw : [raw]).flatMap((part) => String(part).split(','));
  return parts.map((part) => convertOne(schema.items ?? {}, part));
}

/** PostgreSQL cannot store U+0000, and no name, id or time contains it. */
const holdsNul = (text: unknown): boolean => [text].flat().some((part) => String(part).includes('\0'));

/** The parser keeps text that it cannot decode, which would change the meaning of a filter. So it is refused here. */
export function refuseUndecodable(url: string): void {
  const mark = url.indexOf('?');
  if (mark < 0 || !url.includes('%', mark)) return;
  try {
    decodeURIComponent(url.slice(mark + 1));
  } catch {
    throw new Problem('malformed_request', {
      detail: 'The query holds a percent sign that encodes nothing, or bytes that are not UTF-8.',
    });
  }
}

export interface ConvertedQuery {
  readonly values: Record<string, unknown>;
  readonly errors: readonly FieldError[];
}

export function convertQuery(shape: TObject, raw: Readonly<Record<string, unknown>>): ConvertedQuery {
  const properties = shape.properties as Record<string, PropertySchema>;
  const values: Record<string, unknown> = Object.create(null);
  const errors: FieldError[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    if (schema.default !== undefined) values[name] = schema.default;
  }
  for (const [name, text] of Object.entries(raw)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      values[name] = text;
      continue;
    }
    const isRepeated = Array.isArray(text) && schema.type !== 'array';
    if (isRepeated)
      errors.push({ pointer: `query/${name}`, code: 'not_unique', detail: 'Give this parameter once.' });
    if (holdsNul(text))
      errors.push({ pointer: `query/${name}`, code: 'invalid_format', detail: 'Must not hold U+0000.' });
    values[name] = convert(schema, isRepeated ? text[0] : text);
  }
  return { values, errors };
}
