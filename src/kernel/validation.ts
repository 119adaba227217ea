/** Checks a value against a shape and says everything that is wrong with it at once, in the codes of the catalogue. */
import { Compile, type Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { FieldCode } from './problems/catalogue.ts';
import type { FieldError } from './problems/problem.ts';
import type { TSchema } from './schema.ts';

const MAX_ERRORS = 100;
Settings.Set({ maxErrors: MAX_ERRORS });

interface Fault {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const codes: Record<string, FieldCode> = {
  maxLength: 'too_long',
  minLength: 'too_short',
  maxItems: 'too_many',
  minItems: 'too_few',
  maxProperties: 'too_many',
  minProperties: 'too_few',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  multipleOf: 'out_of_range',
  uniqueItems: 'not_unique',
};

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function listed(params: object, member: string): string[] {
  const value = (params as Record<string, unknown>)[member];
  return Array.isArray(value) ? value.map(String) : [];
}

function translate(fault: Fault): FieldError[] {
  const at = fault.instancePath;
  switch (fault.keyword) {
    case 'required':
      return listed(fault.params, 'requiredProperties').map((name) => ({
        pointer: `${at}/${escapePointer(name)}`,
        code: 'required' as const,
        detail: 'This member is required.',
      }));
    case 'additionalProperties':
      return listed(fault.params, 'additionalProperties').map((name) => ({
        pointer: `${at}/${escapePointer(name)}`,
        code: 'unknown_member' as const,
        detail: 'There is no such member.',
      }));
    case 'enum':
      return [
        {
          pointer: at,
          code: 'invalid_format',
          detail: `Must be one of ${listed(fault.params, 'allowedValues').join(', ')}.`,
        },
      ];
    default:
      return [
        { pointer: at, code: codes[fault.keyword] ?? 'invalid_format', detail: sentence(fault.message) },
      ];
  }
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** Applicators report what their parts report as well; the parts say it better. */
const NOISE = new Set(['boolean', 'anyOf', 'allOf', 'oneOf', 'if', 'then', 'else', 'propertyNames']);

function collect(faults: readonly Fault[]): FieldError[] {
  const telling = faults.filter((fault) => !NOISE.has(fault.keyword));
  const found = (telling.length > 0 ? telling : faults).flatMap(translate);
  const seen = new Set<string>();
  return found.filter(({ pointer, code }) => {
    const key = `${pointer} ${code}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const compiled = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema);
  compiled.set(schema, validator);
  return validator;
}

export function isValid(schema: TSchema, value: unknown): boolean {
  return validatorOf(schema).Check(value);
}

/** Pointers are prefixed with where the value came from: nothing for the body, `query` for the query. */
export function faultsOf(schema: TSchema, value: unknown, from: '' | 'query' = ''): FieldError[] {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return [];
  return collect(validator.Errors(value) as unknown as Fault[]).map((error) => ({
    ...error,
    pointer: from === '' ? error.pointer : `${from}${error.pointer}`,
  }));
}
