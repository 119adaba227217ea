/** Hands one mail over: to the SMTP server of the provider, or to a file if there is none. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProviderConfig, SmtpConfig } from '../provider/schema.ts';
import { messageOf, type StoredMail } from './message.ts';
import { loadNodemailer } from './nodemailer.ts';

/** After this time an attempt is given up. Its lease must be longer. */
export const ATTEMPT_MS = 90_000;
const CONNECT_MS = 15_000;
const SILENCE_MS = 30_000;

export const outboxFolder = ({ database }: ProviderConfig): string => join(database.folder, 'outbox');

/** The way to the SMTP server, for one mail or one test. */
export async function openSmtp({ host, port, tls, user, password }: SmtpConfig) {
  const { createTransport } = await loadNodemailer();
  return createTransport({
    // Only connections of a pool can be ended while they deliver a message.
    pool: true,
    maxConnections: 1,
    maxMessages: 1,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
}

async function sendBySmtp(
  smtp: SmtpConfig,
  mail: { readonly from: string; readonly to: string; readonly message: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const transport = await openSmtp(smtp);
  const end = (): void => transport.close({ force: true });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
  limit.addEventListener('abort', end);
  try {
    await transport.sendMail({ envelope: { from: mail.from, to: [mail.to] }, raw: mail.message });
  } finally {
    limit.removeEventListener('abort', end);
    end();
  }
}

/** Written under another name first, so that nobody reads half a mail. */
async function writeToFile(folder: string, id: string, message: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${id}.eml`);
  await writeFile(`${file}.part`, message, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

export async function deliver(
  mail: StoredMail,
  provider: ProviderConfig,
  signal: AbortSignal,
): Promise<void> {
  const message = await messageOf(mail, provider);
  const { from, smtp } = provider.mail;
  if (smtp === null) await writeToFile(outboxFolder(provider), mail.id, message);
  else await sendBySmtp(smtp, { from, to: mail.recipient, message }, signal);
}

/**
 * Whether the server refused this recipient or this mail for good. Other permanent refusals, of the password or the
 * sender, are the operator's to fix, so the mail is tried again.
 */
export function isRefused(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
