/**
 * Patterns that select event types: exact names, `vm.*` for all events of a resource type, `*` for all events. Only `*`
 * and `operation.*` include events of operations: the resource has its own events about the same change.
 */
import { nearest } from '../did-you-mean.ts';
import type { FieldError } from '../problems/problem.ts';
import type { Registry } from '../registry.ts';
import { byProvider, Named, Type } from '../schema.ts';
import { written } from '../text-patterns.ts';

export const MAX_PATTERNS = 50;

/** `x-event-type`: the types themselves stand in the schema `Event` of the OpenAPI document, each with its meaning. */
export const EventPattern = Named(
  'EventPattern',
  Type.Unsafe<string>({
    type: 'string',
    // Patterns that match no event type are refused.
    ...byProvider,
    ...written(
      '^(\\*|[a-z][a-z0-9_]*\\.(\\*|[a-z][a-z0-9_]*))$',
      'Must be a type of event such as vm.created, all types of a resource such as vm.*, or * for all types.',
    ),
    maxLength: 100,
    'x-event-type': true,
  }),
);

export function matchesType(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

/** Null stands for all types, including those declared later. */
export function typesOf(
  { eventTypes }: Pick<Registry, 'eventTypes'>,
  patterns: readonly string[],
): string[] | null {
  if (patterns.includes('*')) return null;
  return [...eventTypes.keys()].filter((type) => patterns.some((pattern) => matchesType(pattern, type)));
}

/** Reports patterns that match no event type. They are typing errors, and a subscriber would wait forever. */
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
    const detail = `No event type matches ${pattern}; /openapi.json lists all types in the schema Event.${hint}`;
    return [{ pointer: `${pointer}/${i}`, code: 'unknown_event_type', detail }];
  });
}
