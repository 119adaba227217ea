/**
 * Signs messages as Standard Webhooks defines. A receiver that holds the secret can verify that a message
 * comes from Hostplane, is unchanged and is not a replay.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const newSigningSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The secret in the form that the receiver stores. */
export const showSigningSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

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
