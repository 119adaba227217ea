import type { Registry } from '../registry.ts';
import type { Kind } from './kind.ts';

interface Origin {
  readonly requestId?: string;
  readonly parent?: object;
  readonly hasCheckedCost?: true;
}

/**
 * The pipeline checks the cost of a call and of the operations that it starts. Nothing checks an operation of a schedule,
 * so kinds that can add cost are refused there.
 */
export function refuseUnchecked(
  { costlyKinds }: Pick<Registry, 'costlyKinds'>,
  { type }: Pick<Kind, 'type'>,
  { requestId, parent, hasCheckedCost }: Origin,
): void {
  const isOfCall = requestId !== undefined || parent !== undefined;
  if (costlyKinds.has(type) && !isOfCall && !hasCheckedCost)
    throw new Error(`${type} can add cost: a schedule has to start it with \`startScheduled\`.`);
}
