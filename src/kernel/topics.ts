/** Groups the endpoints of a family by resource, in the order in which people use them. */
import type { Endpoint, ResourceRole } from './record.ts';
import type { Family, Topic } from './registry.ts';

export interface TopicEndpoints extends Topic {
  /** The `resource.name` of its endpoints. */
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

/** A resource is found or created before it is changed, and deleted last. */
const ROLES: readonly ResourceRole[] = ['list', 'create', 'read', 'update', 'declare', 'action', 'delete'];

const rankOf = ({ resource }: Endpoint): number => ROLES.indexOf(resource.role);

/** In the order of `topics`. Resources that have no topic come last. */
export function topicsOf({ endpoints, topics = {} }: Family): TopicEndpoints[] {
  const names = new Set([...Object.keys(topics), ...endpoints.map(({ resource }) => resource.name)]);
  return [...names].map((name) => ({
    ...(topics[name] ?? { title: name, purpose: '' }),
    name,
    endpoints: endpoints
      .filter(({ resource }) => resource.name === name)
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
  }));
}
