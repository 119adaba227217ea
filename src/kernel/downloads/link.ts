/** What calls show of a download link, and how they make one. Its token is shown once, as a part of its URL. */
import { type Bearer, bearerColumns, hashBearerToken, newBearerToken } from '../access/bearer.ts';
import { Actor } from '../audit/entry.ts';
import type { Call } from '../call.ts';
import { idPrefix } from '../ids.ts';
import type { Endpoint } from '../record.ts';
import { Id, Named, Nullable, Shape, type Static, Time, Type } from '../schema.ts';
import type { Services } from '../services.ts';
import { downloadUrl } from './download.ts';
import { findLink, insertLink, isLinkThere, type LinkJson, noteUse } from './store.ts';

export const newLinkId = idPrefix('download_link', 'lnk');

export const DownloadLink = Named(
  'DownloadLink',
  Shape({
    id: Id('lnk', { description: 'The id of the link, with which it can be ended.' }),
    created_by: { ...Actor, description: 'Who made the link. It ends with their right to make one.' },
    created_at: { ...Time, description: 'When the link was made.' },
    expires_at: { ...Time, description: 'No download can begin after this time.' },
    last_used_at: Nullable({ ...Time, description: 'When a download last began; null if none has.' }),
    uses: Type.Integer({ minimum: 0, description: 'How many downloads have begun, each range counted.' }),
  }),
);
export type DownloadLink = Static<typeof DownloadLink>;

const timeOf = (text: string): string => new Date(text).toISOString();

export const presentLink = (link: LinkJson): DownloadLink => ({
  id: link.id,
  created_by: {
    kind: link.api_key_id === null ? 'member' : 'api_key',
    api_key_id: link.api_key_id,
    member_id: link.member_id,
  },
  created_at: timeOf(link.created_at),
  expires_at: timeOf(link.expires_at),
  last_used_at: link.last_used_at && timeOf(link.last_used_at),
  uses: link.uses,
});

/** Makes a link to the file of a resource, which belongs to the caller. */
export async function makeLink(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  resourceId: string,
  expires_at: Date,
): Promise<{ readonly id: string; readonly url: string }> {
  const id = newLinkId();
  const token = newBearerToken();
  await insertLink(db, {
    id,
    account_id: caller.account.id,
    resource_id: resourceId,
    ...bearerColumns(caller),
    member_id: caller.owner?.memberId ?? null,
    token_hash: hashBearerToken(token),
    expires_at,
  });
  return { id, url: downloadUrl(services.baseUrl, id, token) };
}

/** A link whose token was shown to this server. */
export interface KnownLink {
  readonly resourceId: string;
  readonly bearer: Bearer;
  /** The endpoint that handed it out. Left out: the only one that makes links to such files. */
  readonly endpoint?: Endpoint;
  /** Counts a download that begins. False: the link has ended meanwhile. */
  use(): Promise<boolean>;
  /** False once the link was ended. Downloads that began before the link expired go on. */
  isThere(): Promise<boolean>;
}

/** Undefined unless the link can be used now. */
export async function findKnownLink(
  { db }: Pick<Services, 'db'>,
  id: string,
  token: string,
): Promise<KnownLink | undefined> {
  const found = await findLink(db, id, hashBearerToken(token));
  return found && { ...found, use: () => noteUse(db, id), isThere: () => isLinkThere(db, id) };
}
