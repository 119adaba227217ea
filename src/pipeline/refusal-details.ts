/** Completes the errors of a refused request with what only the registry and the lists of the account know. */
import { type Exchange, endpointOf } from '../kernel/exchange.ts';
import { changedBy, managedResource, membersOf } from '../kernel/managed-resource.ts';
import { problems } from '../kernel/problems/catalogue.ts';
import { type FieldError, Problem } from '../kernel/problems/problem.ts';
import { partsOf } from '../kernel/reference.ts';
import type { Registry } from '../kernel/registry.ts';
import type { Services } from '../kernel/services.ts';
import { explainMissing } from './path-advice.ts';
import { ReferenceAdvice } from './reference-advice.ts';

/** A member that the resource or its creation has and its update does not take: the caller knows it from there. */
function explainFixed(error: FieldError, exchange: Exchange, { endpoints }: Registry): FieldError {
  const endpoint = endpointOf(exchange);
  const { name: type, role } = endpoint.resource;
  const [name = '', ...deeper] = partsOf(error.pointer);
  const isOwn = error.code === 'unknown_member' && error.pointer.startsWith('/') && deeper.length === 0;
  const managed =
    isOwn && ['update', 'declare'].includes(role) ? managedResource(type, endpoints) : undefined;
  if (managed === undefined) return error;
  const isGiven = Object.hasOwn(membersOf(managed.creator.body), name);
  if (!isGiven && !Object.hasOwn(managed.shape.properties, name)) return error;
  const [[by, pointer] = []] = Object.entries(changedBy(managed, name));
  const changer = endpoints.find(({ id }) => id === by);
  const path = changer?.path.replace(endpoint.path, exchange.incoming.path);
  const caution = changer?.access === 'destructive' ? ', but destroys data: see its dry run first' : '';
  const detail =
    changer?.id === endpoint.id
      ? `To change ${name}, send ${partsOf(pointer ?? '').join('.')}.`
      : changer !== undefined
        ? `This call cannot change ${name}; ${changer.method} ${path} (${changer.id}) does${caution}.`
        : isGiven
          ? `${name} cannot be changed; leave it out, or create another ${type.replaceAll('_', ' ')}.`
          : `${name} cannot be changed; leave it out.`;
  return { ...error, code: 'immutable', detail };
}

/** Returns the error as it is if it is no problem with fields and no 404, or if there is nothing to add. */
export async function completeRefusal(
  error: unknown,
  exchange: Exchange,
  services: Services,
  body: unknown,
): Promise<unknown> {
  if (!(error instanceof Problem) || exchange.caller === undefined) return error;
  const isMissing = error.code === 'not_found' && error.message === problems.not_found.when;
  if (error.code !== 'validation_failed' && !isMissing) return error;
  try {
    const advice = new ReferenceAdvice(exchange, services, body);
    if (isMissing) return await explainMissing(error, exchange, services.registry, advice);
    const errors: FieldError[] = [];
    for (const each of error.errors)
      errors.push(await advice.complete(explainFixed(each, exchange, services.registry)));
    return errors.every((each, i) => each === error.errors[i]) ? error : error.withErrors(errors);
  } catch (fault) {
    // The refusal itself stands; only what would complete it is missing.
    services.log.warn({ request_id: exchange.requestId, err: fault }, 'a refusal lacks its details');
    return error;
  }
}
