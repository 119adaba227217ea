/** Hands one mail over: to the SMTP server of the provider, or to a file if there is none. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Transfer } from '../kernel/net/transfer.ts';
import type { ProviderConfig, SmtpConfig } from '../provider/schema.ts';
import { messageOf, type StoredMail } from './message.ts';
import { loadNodemailer } from './nodemailer.ts';

/** After this time an attempt is given up, however slowly the server answers. Its lease must be longer. */
export const ATTEMPT_MS = 90_000;
const CONNECT_MS = 15_000;
const SILENCE_MS = 30_000;

export const outboxFolder = ({ database }: ProviderConfig): string => join(database.folder, 'outbox');

const optionsOf = ({ host, port, tls, user, password }: SmtpConfig) => ({
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

async function sendBySmtp(
  smtp: SmtpConfig,
  mail: { readonly from: string; readonly to: string; readonly message: Buffer },
  { signal, totalMs }: DeliveryLimits,
): Promise<void> {
  const { createTransport } = await loadNodemailer();
  // Only connections of a pool can be ended while they deliver a message.
  const pool = { pool: true, maxConnections: 1, maxMessages: 1 } as const;
  const transport = createTransport({ ...pool, ...optionsOf(smtp) });
  const transfer = new Transfer({ totalMs });
  const end = (): void => transport.close({ force: true });
  const limit = AbortSignal.any([signal, transfer.signal]);
  limit.addEventListener('abort', end);
  try {
    await transport.sendMail({ envelope: { from: mail.from, to: [mail.to] }, raw: mail.message });
  } catch (error) {
    throw transfer.signal.aborted ? tooSlow(smtp, totalMs) : error;
  } finally {
    transfer.end();
    limit.removeEventListener('abort', end);
    end();
  }
}

const tooSlow = ({ host }: SmtpConfig, totalMs: number): Error =>
  new Error(`${host} did not take the mail within ${totalMs / 1000} seconds.`);

/** Signs in at the server, and sends nothing. */
export async function tryToSignIn(smtp: SmtpConfig, totalMs = ATTEMPT_MS): Promise<void> {
  const { createTransport } = await loadNodemailer();
  // The connection is our own, so that it can be ended while the server still answers.
  const socket = new Socket();
  const transport = createTransport({ ...optionsOf(smtp), socket });
  const transfer = new Transfer({ totalMs });
  const late = () => new Error(`${smtp.host} did not answer within ${totalMs / 1000} seconds.`);
  transfer.signal.addEventListener('abort', () => socket.destroy(late()));
  try {
    await transport.verify();
  } catch (error) {
    throw transfer.signal.aborted ? late() : error;
  } finally {
    transfer.end();
    transport.close();
  }
}

/** Written under another name first, so that nobody reads half a mail. */
async function writeToFile(folder: string, id: string, message: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${id}.eml`);
  await writeFile(`${file}.part`, message, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

export interface DeliveryLimits {
  readonly signal: AbortSignal;
  readonly totalMs: number;
}

export async function deliver(
  mail: StoredMail,
  provider: ProviderConfig,
  limits: DeliveryLimits,
): Promise<void> {
  const message = await messageOf(mail, provider);
  const { from, smtp } = provider.mail;
  if (smtp === null) await writeToFile(outboxFolder(provider), mail.id, message);
  else await sendBySmtp(smtp, { from, to: mail.recipient, message }, limits);
}

/**
 * Whether the server refused this recipient or this mail for good. Other permanent refusals, of the password or the
 * sender, are the operator's to fix, so the mail is tried again.
 */
export function isRefused(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
