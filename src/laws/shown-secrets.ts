import type { JsonSchema } from '../testing/arbitrary.ts';

/** The values of all members that the schema marks as secret. */
export function secretsIn(schema: JsonSchema & { 'x-secret'?: boolean }, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (schema['x-secret']) return [String(value)];
  const branches = (schema.anyOf ?? schema.oneOf ?? []).flatMap((branch) => secretsIn(branch, value));
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    secretsIn(member, (value as Record<string, unknown>)[name]),
  );
  const items = Array.isArray(value) ? value.flatMap((item) => secretsIn(schema.items ?? {}, item)) : [];
  return [...branches, ...members, ...items];
}
