import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';

/** The faults of the `location` in a request body: it must be a location that runs machines. */
export function locationFaults({ compute }: Services, location: string): FieldError[] {
  if (compute.at(location) !== undefined) return [];
  const detail = 'There is no location of this name that runs machines.';
  return [{ pointer: '/location', code: 'unknown_reference', detail }];
}
