/** Values as short texts, for tables. */
import { printable } from './printable.ts';

const LONGEST = 60;

const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

function objectText(value: Readonly<Record<string, unknown>>): string {
  const { monthly, hourly, currency, name, slug, address, id, kind, type, at, ...rest } = value;
  if (typeof monthly === 'string') {
    const price = `${monthly} ${typeof currency === 'string' ? currency : ''}`.trim();
    return typeof hourly === 'string' ? `${price} (${hourly}/h)` : price;
  }
  const filled = Object.values(value).filter((part) => part !== null);
  if (typeof type === 'string' && typeof id === 'string' && filled.length === 2) return `${type} ${id}`;
  const told = name ?? slug ?? address ?? id ?? kind ?? type ?? at;
  if (typeof told === 'string') return text(told);
  const pairs = Object.entries(rest).filter(([, part]) => part !== null && typeof part !== 'object');
  if (pairs.length === 0) return JSON.stringify(value);
  // Labels are texts that people wrote; other members are said in words.
  const areLabels = pairs.every(([, part]) => typeof part === 'string');
  return areLabels
    ? pairs.map(([key, part]) => `${key}=${part}`).join(',')
    : pairs.map(([key, part]) => `${key.replaceAll('_', ' ')} ${part}`).join(', ');
}

function text(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, '$1Z');
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(text).join(',');
  if (typeof value === 'object') return objectText(value as Record<string, unknown>);
  return String(value);
}

export const cell = (value: unknown): string => shorten(printable(text(value)).replaceAll(/\s+/g, ' '));

/** The whole value, for pages that show one resource. */
export const longCell = (value: unknown): string => printable(text(value));

/** What a resource is called in one word: its name, else its slug, else its id. */
export function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return longCell(value);
  const { name, slug, id } = value as Record<string, unknown>;
  return longCell(name ?? slug ?? id);
}
