/**
 * Validates the input of people. All errors are reported at once, and a text that contains a secret is refused
 * because others will read it.
 */
import type { TUnsafe } from 'typebox';
import { type FieldError, invalid } from '../kernel/problems/problem.ts';
import { type TSchema, Type } from '../kernel/schema.ts';
import { refuseSecrets } from '../kernel/secret-text/in-body.ts';
import { faultsOf } from '../kernel/validation.ts';

const LINE = '^(?!\\s)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*(?<!\\s)$';
/** Without characters that a mail program reads as the end of an address or as its comment. */
const OF_ADDRESS = '\\s@<>()[\\],;:"\\\\\\p{Cc}\\p{Cf}';
const EMAIL = `^[^${OF_ADDRESS}]{1,64}@[^.${OF_ADDRESS}]+(\\.[^.${OF_ADDRESS}]+)+$`;

const MONEY = '^\\d{1,10}(\\.\\d{1,2})?$';

const explanations: Readonly<Record<string, string>> = {
  [LINE]: 'Must be one line of text without control characters and without spaces at its ends.',
  [EMAIL]: 'Must be an e-mail address such as ada@example.com.',
  [MONEY]: 'Must be an amount such as 50 or 49.90.',
};

/**
 * One line of text. Control characters are refused, because a name could otherwise rewrite the terminal that
 * shows it; those that turn the direction of text could reorder the words around the name.
 */
export function Line(minLength: number, maxLength: number): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', minLength, maxLength, pattern: LINE });
}

export const Money: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', pattern: MONEY });

export const Email: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  maxLength: 254,
  pattern: EMAIL,
});

function explain(error: FieldError): FieldError {
  const pattern = Object.keys(explanations).find((known) => error.detail.includes(known));
  return pattern === undefined ? error : { ...error, detail: explanations[pattern] ?? error.detail };
}

/**
 * Validates `input`. `more` checks rules that the schema cannot express; it receives only the fields that
 * match the schema.
 */
export function check<T extends object>(
  schema: TSchema,
  input: T,
  more?: (sound: Partial<T>) => readonly FieldError[],
): void {
  refuseSecrets(schema, input);
  const faults = faultsOf(schema, input).map(explain);
  const broken = new Set(faults.map(({ pointer }) => pointer.split('/')[1]));
  const sound = Object.fromEntries(Object.entries(input).filter(([name]) => !broken.has(name))) as Partial<T>;
  refuse([...faults, ...(more?.(sound) ?? [])]);
}

export function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid(faults);
}
