import type { KnownKey } from '../kernel/access/cache.ts';
import { DUMMY_DIGEST, matchesDigest, readPublicId } from '../kernel/access/key-format.ts';
import type { Exchange, Stage } from '../kernel/exchange.ts';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import type { Refused } from '../kernel/problems/problem.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';

const CHALLENGE = { 'www-authenticate': 'ApiKey header="X-API-Key"' };

const refusals = new Map<ProblemCode, Problem>();

/** The problem contains nothing of the request, so it is reused: requests that guess keys must stay cheap. */
function refuse(code: ProblemCode): Problem {
  const known = refusals.get(code) ?? new Problem(code, { headers: CHALLENGE });
  refusals.set(code, known);
  return known;
}

/**
 * Matches an `Authorization` header that was meant to carry an API key. Other schemes are ignored, because they may
 * be credentials for a proxy.
 */
const MEANT_AS_KEY = /^bearer\b|hpk1_/i;

/** Repeated headers are joined with a comma, which no key contains. */
function readHeader(exchange: Exchange): string | Problem {
  const { incoming } = exchange;
  const sent = incoming.header('x-api-key');
  if (sent !== undefined && sent !== '' && !sent.includes(',')) return sent;
  if (sent !== undefined && sent !== '') {
    const detail = 'The header X-API-Key came more than once.';
    return new Problem('api_key_missing', { detail, headers: CHALLENGE });
  }
  return refuse(
    MEANT_AS_KEY.test(incoming.header('authorization') ?? '') ? 'bearer_not_supported' : 'api_key_missing',
  );
}

/**
 * Called only after the secret matched: with a wrong secret every key answers `api_key_invalid`, whatever its state.
 */
function lifeProblem({ key, account, owner }: KnownKey): ProblemCode | null {
  if (account.status === 'closed') return 'api_key_invalid';
  if (key.status === 'revoked' || owner === null) return 'api_key_revoked';
  if (key.endsAt <= Date.now()) return 'api_key_expired';
  if (key.status === 'suspended' || account.keysSuspended || owner.suspended) return 'api_key_suspended';
  return null;
}

const knownRefusals = new WeakMap<KnownKey, Problem>();

/** Names the key, because whoever sent its secret may know it. Cached, like the refusals that name nothing. */
function refuseKnown(known: KnownKey, code: ProblemCode): Problem {
  const cached = knownRefusals.get(known);
  if (cached?.code === code) return cached;
  const detail = lifeDetail(known, code);
  if (detail === null) return refuse(code);
  const problem = new Problem(code, { detail, headers: CHALLENGE });
  knownRefusals.set(known, problem);
  return problem;
}

function lifeDetail({ key, account, owner }: KnownKey, code: ProblemCode): string | null {
  const which = `The API key ${JSON.stringify(key.name)} (${key.id})`;
  switch (code) {
    case 'api_key_revoked':
      return owner === null ? `${which} ended when its owner left the account.` : `${which} was revoked.`;
    case 'api_key_expired':
      return `${which} expired at ${key.expiresAt?.toISOString()}.`;
    case 'api_key_suspended':
      if (account.keysSuspended) return `${which} is suspended, like all API keys of the account.`;
      return owner?.suspended ? `${which} is suspended, because its owner is.` : `${which} is suspended.`;
    default:
      return null;
  }
}

function accept(exchange: Exchange, services: Services, sent: string, known: KnownKey | null): Refused {
  const right = matchesDigest(sent, known?.digest ?? DUMMY_DIGEST);
  return right ? admitKey(exchange, services, known) : refuse('api_key_invalid');
}

function admitKey(exchange: Exchange, services: Services, known: KnownKey | null): Refused {
  if (known === null) return refuse('api_key_invalid');
  const code = lifeProblem(known);
  if (code !== null) {
    services.activity.rejected(known.key.id, exchange.client.address.text, code);
    return refuseKnown(known, code);
  }
  exchange.caller = known;
  return undefined;
}

/** Checks a key without its secret: for a token that the API gave to this key. */
export const issuedTo =
  (publicId: string): Stage =>
  (exchange, services) => {
    const known = services.access.find(publicId);
    if (known instanceof Promise) return known.then((found) => admitKey(exchange, services, found));
    return admitKey(exchange, services, known);
  };

export const key: Stage = (exchange, services) => {
  const sent = readHeader(exchange);
  if (typeof sent !== 'string') return sent;
  const publicId = readPublicId(sent);
  if (publicId === undefined) return refuse('api_key_malformed');
  const known = services.access.find(publicId);
  if (known instanceof Promise) return known.then((found) => accept(exchange, services, sent, found));
  return accept(exchange, services, sent, known);
};
