/** Checks a value against a schema and returns all its errors at once, with the codes of the catalogue. */
import { Compile, type Validator } from 'typebox/compile';
import { Format } from 'typebox/format';
import { Settings } from 'typebox/system';
import { Errors } from 'typebox/value';
import type { FieldCode } from './problems/catalogue.ts';
import { type FieldError, MAX_FIELD_ERRORS } from './problems/problem.ts';
import { partsOf, schemaAt } from './reference.ts';
import type { TSchema } from './schema.ts';
import { meaningOf } from './text-patterns.ts';
import { escapePointer, trimExcess, unknownMember } from './unknown-members.ts';
import { choiceIn, narrowTo, reasonFor } from './variants.ts';

Settings.Set({ maxErrors: MAX_FIELD_ERRORS });

/** Other formats only name the kind of a value in the OpenAPI document: the handlers check it, with better messages. */
Format.Clear();

/** RFC 3339 allows leap seconds and the year 0, its extension zone names. `Date` or PostgreSQL cannot read them. */
Format.Set(
  'date-time',
  (text) => Format.IsDateTime(text) && !text.startsWith('0000') && Number.isFinite(Date.parse(text)),
);

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

function listed(params: object, member: string): string[] {
  const value = (params as Record<string, unknown>)[member];
  return Array.isArray(value) ? value.map(String) : [];
}

/** What a member that is missing or of another type has to be: one of its values, or an object with its members. */
function wanted(schema: TSchema, pointer: string): string {
  const node = schemaAt(schema, pointer);
  if (node?.enum !== undefined) return ` Must be one of ${node.enum.join(', ')}.`;
  const choice = node && choiceIn(node);
  if (choice !== undefined)
    return ` Must be an object whose ${choice.by} is one of ${choice.values.join(', ')}.`;
  const members = Object.keys(node?.properties ?? {});
  return members.length === 0 ? '' : ` Must be an object with members of these: ${members.join(', ')}.`;
}

function translate(fault: Fault, schema: TSchema): FieldError[] {
  const at = fault.instancePath;
  switch (fault.keyword) {
    case 'required':
      return listed(fault.params, 'requiredProperties').map((name) => {
        const pointer = `${at}/${escapePointer(name)}`;
        return { pointer, code: 'required' as const, detail: `This is required.${wanted(schema, pointer)}` };
      });
    case 'type':
      return [
        {
          pointer: at,
          code: 'invalid_format',
          detail: wanted(schema, at).slice(1) || sentence(fault.message),
        },
      ];
    case 'boolean':
      return [unknownMember(at, partsOf(at).at(-1) ?? '', {})];
    case 'enum':
      return [
        {
          pointer: at,
          code: 'invalid_format',
          detail: `Must be one of ${listed(fault.params, 'allowedValues').join(', ')}.`,
        },
      ];
    case 'pattern':
      return [{ pointer: at, code: 'invalid_format', detail: patternDetail(fault) }];
    default:
      return [
        { pointer: at, code: codes[fault.keyword] ?? 'invalid_format', detail: sentence(fault.message) },
      ];
  }
}

function patternDetail({ params, message }: Fault): string {
  return meaningOf(String((params as { pattern?: unknown }).pattern)) ?? sentence(message);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** Keywords that only repeat the errors of their parts, which are more precise. */
const NOISE = new Set([
  'additionalProperties',
  'anyOf',
  'allOf',
  'oneOf',
  'if',
  'then',
  'else',
  'propertyNames',
]);

/** "Must be null" for a nullable member. A caller who sent a value needs the errors of the other branch instead. */
const isNullBranch = ({ keyword, params }: Fault): boolean =>
  keyword === 'type' && (params as { type?: unknown }).type === 'null';

function collect(faults: readonly Fault[], schema: TSchema): FieldError[] {
  const parts = faults.filter((fault) => !NOISE.has(fault.keyword));
  const telling = parts.filter((fault) => !isNullBranch(fault));
  return (
    [telling, parts, faults].find((list) => list.length > 0)?.flatMap((fault) => translate(fault, schema)) ??
    []
  );
}

/** Removes errors with the same pointer and code. */
export function distinct(errors: readonly FieldError[]): FieldError[] {
  const kept = new Map<string, FieldError>();
  for (const error of errors) {
    const key = `${error.pointer} ${error.code}`;
    if (!kept.has(key)) kept.set(key, error);
  }
  return [...kept.values()];
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

export interface Examined {
  readonly errors: readonly FieldError[];
  /** There may be more errors: the check stopped at `MAX_FIELD_ERRORS`. */
  readonly isCutShort: boolean;
}

export function examine(schema: TSchema, value: unknown): Examined {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return { errors: [], isCutShort: false };
  const { rest, errors } = trimExcess(schema, value, MAX_FIELD_ERRORS);
  const narrowed = narrowTo(schema, rest);
  const faults = Errors(narrowed, rest) as unknown as Fault[];
  const found = collect(faults, narrowed).map((error) =>
    error.code === 'required'
      ? { ...error, detail: reasonFor(schema, rest, partsOf(error.pointer)) ?? error.detail }
      : error,
  );
  return {
    errors: distinct([...errors, ...found]).slice(0, MAX_FIELD_ERRORS),
    isCutShort: errors.length >= MAX_FIELD_ERRORS || faults.length >= MAX_FIELD_ERRORS,
  };
}

/** Pointers are prefixed with the source of the value: nothing for the body, `query` for the query. */
export function faultsOf(schema: TSchema, value: unknown, from: '' | 'query' = ''): FieldError[] {
  return examine(schema, value).errors.map((error) => ({ ...error, pointer: `${from}${error.pointer}` }));
}
