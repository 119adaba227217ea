/**
 * Signs messages as Standard Webhooks defines. A receiver that holds the secret can verify that a message
 * comes from Hostplane, is unchanged and is not a replay.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const newSigningSecret = (): Buffer => randomBytes(SECRET_BYTES);

const PREFIX = 'whsec_';

/** The secret in the form that the receiver stores. */
export const showSigningSecret = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`;

const DIGIT = '[A-Za-z0-9+/]';

/** 24 to 64 bytes in base64, as Standard Webhooks demands. */
export const SIGNING_SECRET_PATTERN = `^${PREFIX}((${DIGIT}{4}){8,20}(${DIGIT}{2}==|${DIGIT}{3}=)?|(${DIGIT}{4}){21}(${DIGIT}{2}==)?)$`;

/** Reads what `showSigningSecret` returns. */
export const parseSigningSecret = (text: string): Buffer => Buffer.from(text.slice(PREFIX.length), 'base64');

export interface Signed {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Buffer;
}

function signatureOf(secret: Buffer, { id, timestamp, body }: Signed): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/** Adds one signature per valid secret: during a rotation the previous secret signs too. */
export function signatureHeaders(secrets: readonly Buffer[], message: Signed): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, message)).join(' '),
  };
}
