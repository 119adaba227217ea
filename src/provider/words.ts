/** The words that only the provider's file uses, beside those every shape of the API is written in. */
import type { TUnsafe } from 'typebox';
import { type TSchema, Type } from '../kernel/schema.ts';

/**
 * Amounts may be written bare (`0.011`): the reader keeps such numbers as text, because a binary float cannot
 * hold them. Whole ones arrive as integers.
 */
const amount = (digits: number, example: string): TUnsafe<string | number> =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    pattern: `^\\d{1,10}(\\.\\d{1,${digits}})?$`,
    minimum: 0,
    maximum: 9_999_999_999,
    examples: [example],
  });

/** What one hour, gigabyte or request costs: small, so six digits. */
export const Rate = amount(6, '0.011');
/** What stands on an invoice: cents. */
export const Money = amount(2, '7.50');
export const Quantity = amount(6, '20000');

export const Day: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  examples: ['2026-02-15'],
});

export const Instant: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}Z)?$',
  examples: ['2026-02-15'],
});

export const Sku: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^[a-z0-9]+(\\.[a-z0-9-]+)+$',
  examples: ['vps.flex-2-4'],
  maxLength: 80,
});

export const Text: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength: 200 });

export const Country: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^[A-Z]{2}$',
  examples: ['DE'],
});

export const Count: TUnsafe<number> = Type.Unsafe<number>({
  type: 'integer',
  minimum: 1,
  maximum: 1_000_000_000,
});

export const Whole: TUnsafe<number> = Type.Unsafe<number>({
  type: 'integer',
  minimum: 0,
  maximum: 1_000_000_000,
});

/** Left out of the file, it takes this value, so what is read later is always there. */
export function Default<T extends TSchema>(schema: T, value: unknown): T {
  return { ...schema, default: value };
}

export function ListOf<T extends TSchema>(schema: T, options: object = {}) {
  return Type.Array(schema, { maxItems: 5000, ...options });
}
