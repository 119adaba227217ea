/** Signing in with a passkey. The library is loaded when it is needed. */
import { Problem, post, unreachable } from '../data/http.ts';

interface Challenge {
  readonly challenge_id: string;
  readonly options: Parameters<
    typeof import('@simplewebauthn/browser').startAuthentication
  >[0]['optionsJSON'];
}

export const library = () =>
  import('@simplewebauthn/browser').catch(() => {
    throw unreachable('POST');
  });

export async function signInWithPasskey(ticket?: string): Promise<void> {
  const { startAuthentication } = await library();
  const { challenge_id, options } = await post<Challenge>(
    '/portal/v1/sign-in/passkey/options',
    ticket === undefined ? {} : { ticket },
  );
  const response = await startAuthentication({ optionsJSON: options }).catch(refused);
  await post('/portal/v1/sign-in/passkey', { challenge_id, response });
}

/** Offers passkeys in the autofill of the e-mail field. Resolves with true once one was used. */
export async function offerPasskeys(): Promise<boolean> {
  if (!('credentials' in navigator) || !('PublicKeyCredential' in window)) return false;
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await library();
  if (!(await browserSupportsWebAuthnAutofill())) return false;
  try {
    const { challenge_id, options } = await post<Challenge>('/portal/v1/sign-in/passkey/options');
    const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: true });
    await post('/portal/v1/sign-in/passkey', { challenge_id, response });
    return true;
  } catch {
    return false;
  }
}

export function refused(): never {
  throw new Problem(0, {
    title: 'No passkey was used',
    code: 'passkey_refused',
    detail: 'The dialog of the browser was closed, or this device has no passkey of yours.',
    next_step: 'Try again, or use another way.',
  });
}
