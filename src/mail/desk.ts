/** Lets the provider's operator list, show and send mails again. */
import { Problem } from '../kernel/problems/problem.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import type { Db } from '../store/database.ts';
import { outboxFolder } from './delivery.ts';
import { type FiledMail, fileOf, readMailFile } from './files.ts';
import { findMail, queueAgain, type ShownMail } from './store.ts';

export { listMails, type MailStatus, type ShownMail } from './store.ts';

/** `file` is null if the mail was not written to a file on this machine. */
export async function showMail(
  db: Db,
  provider: ProviderConfig,
  id: string,
): Promise<{ mail: ShownMail; file: (FiledMail & { path: string }) | null }> {
  const mail = await findMail(db, id);
  if (mail === undefined) throw new Problem('not_found', { detail: `There is no mail ${id} here.` });
  const folder = outboxFolder(provider);
  const file = await readMailFile(folder, id);
  return { mail, file: file === undefined ? null : { ...file, path: fileOf(folder, id) } };
}

/** Returns null if the mail was sent: its content was removed then, because it may contain a one-time link. */
export async function sendAgain(db: Db, provider: ProviderConfig, id: string): Promise<ShownMail | null> {
  await showMail(db, provider, id);
  return (await queueAgain(db, id)) ? (await showMail(db, provider, id)).mail : null;
}
