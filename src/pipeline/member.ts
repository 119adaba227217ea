import { endpointOf, type Stage } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';

/** Identifies the member by the portal session. The IP allowlist is for API keys and is not asked. */
export const member: Stage = async (exchange, services) => {
  const { session } = exchange;
  if (session === undefined) throw new Error('The stage for members ran without a session.');
  const { isSignedIn, endsAt, member } = await services.access.findMember(session.id, session.accountId);
  if (!isSignedIn) return new Problem('not_signed_in');
  // Whether there is such an account is not revealed.
  if (member === null)
    return new Problem('not_found', { detail: `You are not a member of an account ${session.accountId}.` });
  session.endsAt = endsAt;
  exchange.caller = member;
  exchange.authenticated = true;
  return undefined;
};

/** What shows or ends credentials needs a person who has lately shown to be the one who signed in. */
export const reauthentication: Stage = (exchange) =>
  endpointOf(exchange).sensitive && exchange.session?.isFresh !== true
    ? new Problem('reauthentication_required')
    : undefined;
