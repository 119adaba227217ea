import { maskKeys } from '../access/key-format.ts';
import type { TSchema } from '../schema.ts';
import { maskSecrets } from '../serialise.ts';

/** As much of a text as a person would read before deciding; an attachment is not read at all. */
const SHOWN = 2_000;

function shorten(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= SHOWN) return value;
  // A cut through a pair of surrogates would leave text that no database takes.
  const begin = value.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '');
  return `${begin}… (${value.length} characters)`;
}

/** What a caller sent, as the person who decides may see it. */
export function redact(schema: TSchema | undefined, value: unknown): unknown {
  if (value === undefined) return undefined;
  const shown = schema === undefined ? value : maskSecrets(schema, value);
  return JSON.parse(maskKeys(JSON.stringify(shown)), shorten);
}
