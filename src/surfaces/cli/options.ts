/** Converts command line arguments and options into function parameters. */
import { Argument, Option } from 'commander';
import { Refusal } from './refusal.ts';

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined members: an absent member means "leave unchanged", while `undefined` is not a valid value. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** An option (`--name <x>`) or an argument (`<x>`) with a fixed list of values, which the help shows. */
export function choice(flags: `--${string}`, values: readonly string[], description?: string): Option;
export function choice(flags: `<${string}>`, values: readonly string[], description?: string): Argument;
export function choice(flags: string, values: readonly string[], description = ''): Option | Argument {
  const made = flags.startsWith('-') ? new Option(flags, description) : new Argument(flags, description);
  return made.choices(values);
}

export function atLeastOne(text: string): number {
  const number = wholeNumber(text);
  if (number > 0) return number;
  throw new Refusal(`"${text}" is too small: use at least 1.`, 2);
}

/** A time with its offset: without one, it would be read in the time zone of this machine. */
export function readTime(text: string): Date {
  const time = new Date(text);
  if (/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new Refusal(`"${text}" is not a time. Write it as 2026-03-01T10:00:00Z.`, 2);
}

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Refusal(`"${text}" is not a whole number.`, 2);
}
