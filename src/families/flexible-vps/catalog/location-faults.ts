import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { CUSTOM, soldPlans } from './sold-plans.ts';

/** The faults of the `location` in a request body: it must be a location that runs machines. */
export function locationFaults({ compute }: Services, location: string): FieldError[] {
  if (compute.at(location) !== undefined) return [];
  const detail = `There is no location ${JSON.stringify(location)} that runs machines.`;
  return [{ pointer: '/location', code: 'unknown_reference', detail }];
}

/**
 * The faults of a plan or a custom size that the location does not sell. Waiting does not help there, so this is not a
 * lack of capacity. Plans that the catalogue does not list at all are reported with their price.
 */
export function placeFaults({ provider }: Services, plan: string, location: string, now: Date): FieldError[] {
  const { plans, custom_plan } = provider.catalogue;
  const listed = plan === CUSTOM ? custom_plan : plans.find(({ slug }) => slug === plan);
  if (listed == null || !provider.catalogue.locations.some(({ slug }) => slug === location)) return [];
  const sold = soldPlans(provider.catalogue, now).find(({ slug }) => slug === plan);
  const pointer = plan === CUSTOM ? '/custom_size' : '/plan';
  const what = plan === CUSTOM ? 'A size of your own' : `The plan ${JSON.stringify(plan)}`;
  if (sold === undefined)
    return [{ pointer, code: 'unknown_reference', detail: `${what} is no longer sold.` }];
  if (sold.locations.includes(location)) return [];
  const detail = `${what} (${sold.architecture}) is not sold in ${location}, but in ${sold.locations.join(', ')}.`;
  return [{ pointer, code: 'location_mismatch', detail }];
}
