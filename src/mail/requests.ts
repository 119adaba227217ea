/**
 * Mails whose content depends on what we know about the address. The call of a stranger only writes the request, the
 * same row for every address; a worker looks the address up and writes the mail. So neither the answer of the call nor
 * the time that it takes tells whether somebody has a sign-in.
 */
import type { Tx } from '../store/database.ts';
import { isMailAddress } from './address.ts';
import { newMailId } from './outbox.ts';
import { insertMail, type MailRow, removeClaimed } from './store.ts';
import { templates } from './templates.ts';

/** Parts that write requests declare them here: the name, and what the composer needs. */
// biome-ignore lint/suspicious/noEmptyInterface: parts add their members by declaration merging.
export interface MailRequests {}

export type RequestName = keyof MailRequests;

/** Writes the mails that a request leads to, or none. */
export type Composer<N extends RequestName> = (tx: Tx, to: string, data: MailRequests[N]) => Promise<unknown>;
export type Composers = { readonly [N in RequestName]: Composer<N> };

export async function requestMail<N extends RequestName>(
  tx: Tx,
  request: { readonly to: string; readonly name: N; readonly data: MailRequests[N] },
): Promise<void> {
  const { to, name, data } = request;
  if (!isMailAddress(to)) throw new Error('A mail was requested for something that is not one address.');
  await insertMail(tx, { id: newMailId(), recipient: to, template: name, data: JSON.stringify(data) });
}

export const isRequest = ({ template }: Pick<MailRow, 'template'>): boolean =>
  !Object.hasOwn(templates, template);

/** Replaces a claimed request with the mails that it leads to. Does nothing if another worker holds it by now. */
export async function compose(
  tx: Tx,
  composers: Composers,
  { id, recipient, template, data }: MailRow,
  owner: string,
): Promise<void> {
  const composer = (composers as Readonly<Record<string, Composer<RequestName>>>)[template];
  if (composer === undefined) throw new Error(`This version has no mail template "${template}".`);
  if (await removeClaimed(tx, id, owner)) await composer(tx, recipient, data as never);
}
