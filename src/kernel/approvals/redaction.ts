import { maskKeys } from '../access/key-format.ts';
import type { TSchema } from '../schema.ts';
import { maskSecrets } from '../serialise.ts';

/** The number of characters of a text that the deciding person sees. Nobody reads a whole attachment. */
const SHOWN = 2_000;

function shorten(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= SHOWN) return value;
  // A cut inside a surrogate pair would leave text that PostgreSQL cannot store.
  const begin = value.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '');
  return `${begin}… (${value.length} characters)`;
}

/** The caller's input as the deciding person sees it: without secrets and keys, and with long texts shortened. */
export function redact(schema: TSchema | undefined, value: unknown): unknown {
  if (value === undefined) return undefined;
  const shown = schema === undefined ? value : maskSecrets(schema, value);
  return JSON.parse(maskKeys(JSON.stringify(shown)), shorten);
}
