import { matchesType } from '../../../kernel/events/patterns.ts';
import type { Registry, Subject } from '../../../kernel/registry.ts';

interface Wanted {
  readonly types?: readonly string[];
  readonly family?: string;
  readonly resource_type?: string;
}

/**
 * The resource types that the requested events can be about: the type in the event name, and for `operation.*`
 * events the resource types of all operation kinds.
 */
export function subjectsAsked(registry: Registry, wanted: Wanted): [string, Subject][] {
  const { types = ['*'], family, resource_type } = wanted;
  const asked = [...registry.eventTypes.keys()].filter((type) =>
    types.some((pattern) => matchesType(pattern, type)),
  );
  const named = new Set(asked.map((type) => type.slice(0, type.indexOf('.'))));
  if (named.has('operation')) for (const kind of registry.kinds.values()) named.add(kind.resourceType);
  return [...registry.subjects].filter(
    ([type, subject]) =>
      named.has(type) &&
      (family === undefined || family === subject.family) &&
      (resource_type === undefined || resource_type === type),
  );
}
