import type { Endpoint } from '../../kernel/record.ts';
import type { CostMark } from './model.ts';

/** How the call can change the bill; undefined if it never does. `src/laws/bill.test.ts` compares it with the calls. */
export function costMark(
  { raisesCost, lowersCost, resource }: Endpoint,
  endpoints: readonly Endpoint[],
): CostMark | undefined {
  if (raisesCost !== undefined) return resource.role === 'create' ? 'raises' : 'either';
  const isPaid = endpoints.some(
    (each) =>
      each.resource.name === resource.name &&
      each.resource.role === 'create' &&
      each.raisesCost !== undefined,
  );
  return lowersCost || (resource.role === 'delete' && isPaid) ? 'lowers' : undefined;
}
