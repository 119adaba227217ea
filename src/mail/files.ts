/** Reads the mails that were written to files because no SMTP server is configured. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FiledMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** RFC 3339. */
  readonly date: string;
  readonly text: string;
}

const FILE = /^(mail_[0-9a-z]{26})\.eml$/;

export const fileOf = (folder: string, id: string): string => join(folder, `${id}.eml`);

/** Undefined if there is no such file. */
export async function readMailFile(folder: string, id: string): Promise<FiledMail | undefined> {
  if (!FILE.test(`${id}.eml`)) return undefined;
  const bytes = await readFile(fileOf(folder, id)).catch(ignoreMissing);
  if (bytes === undefined) return undefined;
  const { default: PostalMime } = await import('postal-mime');
  const { to, subject = '', date = '', text = '' } = await PostalMime.parse(bytes);
  return { id, to: to?.[0]?.address ?? '', subject, date, text };
}

/** The newest first: ids sort by time. */
export async function readMailFiles(folder: string, limit: number): Promise<FiledMail[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  const ids = names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
  const newest = ids.sort().reverse().slice(0, limit);
  const mails = await Promise.all(newest.map((id) => readMailFile(folder, id)));
  return mails.filter((mail) => mail !== undefined);
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
