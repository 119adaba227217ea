/** Schema types that only the provider's file uses. The types shared with the API are in `kernel/schema.ts`. */
import type { TUnsafe } from 'typebox';
import { type TSchema, Type } from '../kernel/schema.ts';

/**
 * Amounts may be written without quotes (`0.011`). The YAML reader keeps decimals as text, because a binary float
 * cannot represent them exactly; whole numbers arrive as integers.
 */
const amount = (digits: number, example: string): TUnsafe<string | number> =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    pattern: `^\\d{1,10}(\\.\\d{1,${digits}})?$`,
    minimum: 0,
    maximum: 9_999_999_999,
    examples: [example],
  });

/** The price of one hour, gigabyte or request. It may be small, so six decimal places are allowed. */
export const Rate = amount(6, '0.011');
/** An amount of an invoice: two decimal places. */
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

export const Path: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength: 4096 });

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

/** Gives a member a default value, so that code which reads the configuration never finds it missing. */
export function Default<T extends TSchema>(schema: T, value: unknown): T {
  return { ...schema, default: value };
}

export function ListOf<T extends TSchema>(schema: T, options: object = {}) {
  return Type.Array(schema, { maxItems: 5000, ...options });
}
