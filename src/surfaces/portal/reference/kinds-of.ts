/** The kinds of operations: their steps, how long they usually take, and the calls that start them. */
import type { Registry } from '../../../kernel/registry.ts';

export const kindsOf = ({ kinds, endpoints }: Pick<Registry, 'kinds' | 'endpoints'>) =>
  [...kinds.values()].map((kind) => ({
    type: kind.type,
    family: kind.family,
    resource_type: kind.resourceType,
    typical_seconds: kind.typicalSeconds,
    steps: kind.steps.map(({ name }) => name),
    undo: (kind.undo ?? []).map(({ name }) => name),
    calls: endpoints.filter(({ operation }) => operation?.type === kind.type).map(({ id }) => id),
  }));

export type OperationKind = ReturnType<typeof kindsOf>[number];
