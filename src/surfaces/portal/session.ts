/** Finds the session of a request to the portal. Nothing but the portal reads the cookie. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import type { RequestContext } from '../../portal-api/people/request-context.ts';
import type { FoundSession } from '../../portal-api/people/sessions/sessions.ts';
import {
  enterAccount,
  findSession as findByToken,
  notSignedIn,
} from '../../portal-api/people/sessions/sessions.ts';
import type { Membership } from '../../portal-api/people/store.ts';
import { readHeader } from '../http/read-header.ts';
import { CallLimit } from './call-limit.ts';
import { readCookie } from './cookie.ts';
import { portalOrigin, requireOwnOrigin } from './origin.ts';

export interface PortalSession {
  readonly session: FoundSession;
  readonly person: FoundSession['person'];
  /** The membership with which the person acts in the account; null if there is none. Throws without the second factor that the account requires. */
  member(accountId: string): Promise<Membership | null>;
}

export const requestContextOf = (
  services: Pick<Services, 'provider'>,
  request: IncomingMessage,
  exchange: Exchange,
): RequestContext => ({
  clientIp: exchange.client.address.text,
  clientNet: exchange.client.rateLimitKey,
  userAgent: exchange.client.userAgent,
  requestId: exchange.requestId,
  origin: portalOrigin(services, request),
});

/** Of this process. */
export const limit = new CallLimit();

/** What every request to `/portal/v1` has to pass: no API key, our own origin, and not too many calls. */
export async function admitVisitor(
  services: Services,
  request: IncomingMessage,
  context: RequestContext,
): Promise<PortalSession | null> {
  if (readHeader(request, 'x-api-key') !== undefined) throw new Problem('key_not_accepted');
  requireOwnOrigin(request, context.origin);
  const found = await findSession(services, request, context);
  const retryAfterSeconds = limit.take(found?.session.id ?? context.clientNet);
  if (retryAfterSeconds > 0) {
    const detail = 'More than 600 calls were made within one minute.';
    throw new Problem('too_many_attempts', { detail, retryAfterSeconds });
  }
  return found;
}

/** The refusal of a call that needs a session. */
export const refuseVisitor = (
  { db }: Pick<Services, 'db'>,
  request: IncomingMessage,
  context: RequestContext,
): Promise<Problem> => notSignedIn(db, readCookie(request, context.origin));

export async function findSession(
  { db }: Pick<Services, 'db'>,
  request: IncomingMessage,
  context: RequestContext,
): Promise<PortalSession | null> {
  const token = readCookie(request, context.origin);
  const session = token === null ? null : await findByToken(db, token);
  if (session === null) return null;
  return {
    session,
    person: session.person,
    async member(accountId) {
      const membership = await enterAccount(db, context, session, accountId);
      if (membership?.mfa_required && !session.second_factor) throw new Problem('second_factor_required');
      return membership;
    },
  };
}
