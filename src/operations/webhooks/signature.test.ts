import { expect, it } from 'vitest';
import { newSigningSecret, showSigningSecret, signatureHeaders } from './signature.ts';

/** The test vector of the Standard Webhooks libraries. */
const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
};
const known = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

it('the signature equals the published test vector', () => {
  expect(signatureHeaders([secret], message)).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': known,
  });
});

it('a message is signed with each valid secret, the new one first', () => {
  const signature = signatureHeaders([newSigningSecret(), secret], message)['webhook-signature'];
  expect(signature?.split(' ')).toEqual([expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/), known]);
});

it('the signature covers the body, the id and the time', () => {
  const other = (change: object) =>
    signatureHeaders([secret], { ...message, ...change })['webhook-signature'];
  const signatures = [
    known,
    other({ id: 'msg_2' }),
    other({ timestamp: 1 }),
    other({ body: Buffer.of(255) }),
  ];
  expect(new Set(signatures).size).toBe(4);
});

it('a new secret has 32 random bytes in the usual form', () => {
  expect(showSigningSecret(newSigningSecret())).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
