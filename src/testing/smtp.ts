/** An SMTP server for tests, on loopback. It keeps what arrives, and answers as the test says. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { SmtpConfig } from '../provider/schema.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
/** Self-signed for localhost. */
export const smtpCertificateFile = join(fixtures, 'localhost.crt');

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | null;
  readonly isEncrypted: boolean;
  readonly raw: Buffer;
}

type SmtpCommand = 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA';
/** Accepts with undefined, and refuses with a code such as 451. */
type Answer = (stage: SmtpCommand) => number | undefined | Promise<number | undefined>;

export interface TestSmtp {
  readonly config: SmtpConfig;
  /** Mails that the server has read, whether it accepted them or not. */
  readonly received: ReceivedMail[];
  answer(how: Answer): void;
  close(): Promise<void>;
}

export const PASSWORD = 'correct horse';

const refusal = (code: number): Error =>
  Object.assign(new Error('as the test wants'), { responseCode: code });

export async function startSmtp({
  tls = 'none',
  user = null,
}: Partial<Pick<SmtpConfig, 'tls' | 'user'>> = {}): Promise<TestSmtp> {
  const received: ReceivedMail[] = [];
  let answer: Answer = () => undefined;
  const ask = (stage: SmtpCommand, callback: (error?: Error | null) => void): void => {
    void Promise.resolve(answer(stage)).then((code) =>
      code === undefined ? callback() : callback(refusal(code)),
    );
  };
  const server = new SMTPServer({
    secure: tls === 'implicit',
    key: readFileSync(join(fixtures, 'localhost.key')),
    cert: readFileSync(smtpCertificateFile),
    hideSTARTTLS: tls === 'none',
    allowInsecureAuth: true,
    authOptional: user === null,
    disableReverseLookup: true,
    logger: false,
    onAuth: (auth, _session, callback) => {
      if (auth.username === user && auth.password === PASSWORD)
        ask('AUTH', (error) => callback(error ?? null, { user: auth.username ?? '' }));
      else callback(refusal(535));
    },
    onMailFrom: (_address, _session, callback) => ask('MAIL FROM', callback),
    onRcptTo: (_address, _session, callback) => ask('RCPT TO', callback),
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        received.push(mailOf(session, Buffer.concat(parts)));
        ask('DATA', callback);
      });
    },
  });
  // A worker that is killed leaves a broken connection.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const host = tls === 'none' ? '127.0.0.1' : 'localhost';
  return {
    config: { host, port, tls, user, password: user === null ? null : PASSWORD },
    received,
    answer: (how) => {
      answer = how;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function mailOf({ envelope, user, secure }: SMTPServerSession, raw: Buffer): ReceivedMail {
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    user: user ?? null,
    isEncrypted: secure,
    raw,
  };
}
