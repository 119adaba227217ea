/**
 * Writes a mail into the outbox, within the transaction that causes it: the mail is sent if, and only if, the
 * transaction commits. A worker sends it soon after (`sender.ts`).
 */
import { idPrefix } from '../kernel/ids.ts';
import type { Tx } from '../store/database.ts';
import { isMailAddress } from './address.ts';
import { countRecent, insertMail } from './store.ts';
import { type MailData, type TemplateName, templates } from './templates.ts';

export const newMailId = idPrefix('mail', 'mail');

/** Mails to one recipient and hour, over all templates that strangers can cause. */
const MOST_BY_STRANGERS = 3;

export type NewMail = {
  readonly [T in TemplateName]: {
    /** One address, for which `isMailAddress` is true. */
    readonly to: string;
    readonly template: T;
    readonly data: MailData<T>;
  };
}[TemplateName];

const strangers = (Object.keys(templates) as TemplateName[]).filter(
  (name) => 'byStrangers' in templates[name] && templates[name].byStrangers,
);

/**
 * Returns the id of the mail, or null if it is not sent because its recipient has received the most mails that strangers
 * can cause in an hour. Whoever is not signed in must get the same answer in both cases.
 */
export async function sendMail(tx: Tx, mail: NewMail): Promise<string | null> {
  const { to, template, data } = mail;
  if (!isMailAddress(to)) throw new Error('A mail was written for something that is not one address.');
  if (strangers.includes(template) && (await countRecent(tx, to, strangers)) >= MOST_BY_STRANGERS)
    return null;
  const id = newMailId();
  await insertMail(tx, { id, recipient: to, template, data: JSON.stringify(data) });
  return id;
}
