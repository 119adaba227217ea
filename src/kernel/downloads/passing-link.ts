/**
 * Links that work for minutes: each read makes new ones, so they are no rows. The token is sealed for the file and says
 * until when it works, for whom, and which call handed it out. Like all links, it is worth no more than the right to
 * make that call again.
 */
import type { Bearer } from '../access/bearer.ts';
import type { Caller } from '../access/caller.ts';
import type { Call } from '../call.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Services } from '../services.ts';
import { downloadUrl } from './download.ts';
import type { KnownLink } from './link.ts';

interface Said {
  readonly bearer: Bearer;
  readonly endpoint: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const bearerOf = (caller: Caller): Bearer =>
  caller.key === null
    ? { sessionId: caller.sessionId, accountId: caller.account.id }
    : { keyPublicId: caller.key.publicId };

export function passingUrl(
  { caller, services, now }: Pick<Call, 'caller' | 'services' | 'now'>,
  { resourceId, endpoint, seconds }: { resourceId: string; endpoint: string; seconds: number },
): string {
  const said: Said = { bearer: bearerOf(caller), endpoint, until: now.getTime() + seconds * 1000 };
  const token = services.secrets.close(Buffer.from(JSON.stringify(said)), ownerOf(resourceId));
  return downloadUrl(services.baseUrl, resourceId, token.toString('base64url'));
}

/** Undefined unless the token was made here, for this file, and its time is not over. */
export function findPassingLink(
  { secrets, registry }: Pick<Services, 'secrets' | 'registry'>,
  resourceId: string,
  token: string,
): KnownLink | undefined {
  const said = read(secrets, resourceId, token);
  const endpoint = registry.endpoints.find(({ id }) => id === said?.endpoint);
  if (said === undefined || endpoint === undefined) return undefined;
  const isNow = async () => said.until > Date.now();
  return { resourceId, bearer: said.bearer, endpoint, use: isNow, isThere: async () => true };
}

function read(secrets: Seal, resourceId: string, token: string): Said | undefined {
  try {
    const text = secrets.open(Buffer.from(token, 'base64url'), ownerOf(resourceId)).toString();
    const said = JSON.parse(text) as Said;
    return said.until > Date.now() ? said : undefined;
  } catch {
    return undefined;
  }
}

/** No other sealed text can be taken for a token. */
const ownerOf = (resourceId: string): string => `link to ${resourceId}`;
