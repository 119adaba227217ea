/** Runs the checks that a request passes before its body is read, in the order of the API conventions. */
import type { Exchange, Stage } from '../kernel/exchange.ts';
import type { Refused } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';
import { allowlist } from './allowlist.ts';
import { clientAddressStage } from './client-address.ts';
import { issuedTo, key } from './key.ts';
import { member, reauthentication } from './member.ts';
import { permission } from './permission.ts';
import { rateLimit } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { route } from './route.ts';

const stages: readonly Stage[] = [
  requestId,
  clientAddressStage,
  rateLimit,
  route,
  key,
  allowlist,
  permission,
];

export function admit(exchange: Exchange, services: Services): Refused | Promise<Refused> {
  return runStages(stages, exchange, services);
}

/** For a person who is signed in. The portal has set the session, after it counted the request. */
const memberStages: readonly Stage[] = [route, member, permission, reauthentication];

export function admitMember(exchange: Exchange, services: Services): Refused | Promise<Refused> {
  return runStages(memberStages, exchange, services);
}

const rights: readonly Stage[] = [key, allowlist, permission];
const memberRights: readonly Stage[] = [member, permission];

/** Checks whether the caller of a waiting or streaming request still has access. The rate limit does not count it. */
export function readmit(exchange: Exchange, services: Services): Refused | Promise<Refused> {
  return runStages(exchange.session === undefined ? rights : memberRights, exchange, services);
}

/** The same check for the bearer of a token that this call gave to a key. */
export function readmitBearer(publicId: string): typeof readmit {
  const rightsOfKey: readonly Stage[] = [issuedTo(publicId), allowlist, permission];
  return (exchange, services) => runStages(rightsOfKey, exchange, services);
}

/** Stops at the first refusal. Returns a promise only if a stage returns one, so most requests stay synchronous. */
export function runStages(
  stages: readonly Stage[],
  exchange: Exchange,
  services: Services,
  from = 0,
): Refused | Promise<Refused> {
  for (let i = from; i < stages.length; i++) {
    const refused = stages[i]!(exchange, services);
    if (refused instanceof Promise)
      return refused.then((problem) => problem ?? runStages(stages, exchange, services, i + 1));
    if (refused !== undefined) return refused;
  }
  return undefined;
}
