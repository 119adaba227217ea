/**
 * Which events somebody wants: exact names, `vm.*` for all of a resource, `*` for all there are. What an operation does
 * is told of its resource as well, so `operation.*` comes only with `*` or under its own name.
 */
import { nearest } from '../did-you-mean.ts';
import type { FieldError } from '../problems/problem.ts';
import type { Registry } from '../registry.ts';
import { Type } from '../schema.ts';

export const MAX_PATTERNS = 50;

export const EventPattern = Type.Unsafe<string>({
  type: 'string',
  pattern: '^(\\*|[a-z][a-z0-9_]*\\.(\\*|[a-z][a-z0-9_]*))$',
  maxLength: 100,
});

export function matchesType(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

/** Null stands for all of them, also those declared later. */
export function typesOf(
  { eventTypes }: Pick<Registry, 'eventTypes'>,
  patterns: readonly string[],
): string[] | null {
  if (patterns.includes('*')) return null;
  return [...eventTypes.keys()].filter((type) => patterns.some((pattern) => matchesType(pattern, type)));
}

/** A pattern that nothing matches is a slip of the finger: who wrote it would wait for ever. */
export function patternFaults(
  { eventTypes }: Pick<Registry, 'eventTypes'>,
  patterns: readonly string[],
  pointer: string,
): FieldError[] {
  const known = [...eventTypes.keys()];
  const all = [...known, ...new Set(known.map((type) => type.replace(/\..*$/, '.*')))];
  return patterns.flatMap((pattern, i): FieldError[] => {
    if (known.some((type) => matchesType(pattern, type))) return [];
    const near = nearest(pattern, all);
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    const detail = `There are no events ${pattern}; /openapi.json lists all types as x-event-types.${hint}`;
    return [{ pointer: `${pointer}/${i}`, code: 'unknown_event_type', detail }];
  });
}
