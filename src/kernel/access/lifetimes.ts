/** How long a new key can live, and what each choice means. */
import { keysOf, type Meanings } from '../schema.ts';

export const lifetimeMeanings = {
  '1h': 'One hour.',
  '1d': 'One day.',
  '7d': 'One week.',
  '30d': '30 days.',
  '90d': '90 days.',
  '180d': '180 days.',
  '365d': '365 days.',
  never: 'It does not expire.',
} as const satisfies Meanings<string>;

export type Lifetime = keyof typeof lifetimeMeanings;

export const lifetimes: readonly Lifetime[] = keysOf(lifetimeMeanings);
