/**
 * The way back from `customer-text.ts`: an object that a model read has texts in its member `customer_text`. Sent in a
 * body, they return to their places, so that what was read can be sent back as it is. A member that the model wrote
 * itself counts more than the one in `customer_text`.
 */
import { MARK } from './customer-text.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export function unfolded<T>(value: T): T {
  if (Array.isArray(value)) return value.map(unfolded) as T;
  if (!isObject(value)) return value;
  const { [MARK]: texts, ...own } = value;
  // A label may have this name; its value is a text.
  const members = isObject(texts) ? { ...texts, ...own } : value;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, unfolded(member)])) as T;
}
