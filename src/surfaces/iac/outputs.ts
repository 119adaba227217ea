/** What a resource shows about itself that other resources or people need. */
import type { Input } from './inputs.ts';
import { membersOf, type Plain } from './schemas.ts';

/** It changes only by a call. */
export interface Output {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description: string;
  readonly nullable: boolean;
}

const scalars = new Set(['string', 'integer', 'number', 'boolean']);

/** The members that are single values, do not change by themselves, and are not what the caller has set anyway. */
export function outputsOf(shown: Plain, inputs: readonly Input[]): Output[] {
  const given = new Set(
    inputs.filter((input) => input.required || input.default !== undefined).map(({ name }) => name),
  );
  return Object.entries(membersOf(shown)).flatMap(([name, schema]) => {
    const isStable = schema['x-volatile'] !== true && schema['x-secret'] !== true;
    if (!isStable || given.has(name) || !scalars.has(String(schema.type))) return [];
    return {
      name,
      type: schema.type as Output['type'],
      description: schema.description ?? '',
      nullable: schema.nullable ?? false,
    };
  });
}
