/** Query parameters arrive as text; the shape says what they stand for. What does not convert is left for the validator to name. */
import type { FieldError } from './problems/problem.ts';
import type { TObject } from './schema.ts';

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly items?: PropertySchema;
  readonly default?: unknown;
}

function convertOne(schema: PropertySchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
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
    if (Array.isArray(text) && schema?.type !== 'array') {
      errors.push({ pointer: `query/${name}`, code: 'not_unique', detail: 'Give this parameter once.' });
      values[name] = text[0];
    } else {
      values[name] = schema === undefined ? text : convert(schema, text);
    }
  }
  return { values, errors };
}
