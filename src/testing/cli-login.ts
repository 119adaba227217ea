/** The part of the command line in a login by browser. */
import { createHash, randomBytes } from 'node:crypto';
import type { Browser } from './people.ts';

/** For tests in which it may be known. */
export const CLI_VERIFIER = 'V'.repeat(43);

export const challengeFor = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

/** The person allows a login. Returns what the command line needs to get the key. */
export async function allowLogin(
  browser: Browser,
  accountId: string,
  chosen: object = {},
): Promise<{ code: string; verifier: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const answer = await browser.post(`/accounts/${accountId}/cli-logins`, {
    challenge: challengeFor(verifier),
    computer: 'laptop',
    name: `cli-${verifier.slice(0, 8)}`,
    ...('permissions' in chosen ? {} : { preset: 'full-access' }),
    ...chosen,
  });
  if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${answer.body}`);
  return { code: answer.json<{ code: string }>().code, verifier };
}
