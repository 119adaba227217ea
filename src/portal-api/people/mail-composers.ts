/** Writes the mails that strangers request, once a worker has looked up whom the address belongs to. */
import type { Composers } from '../../mail/requests.ts';
import { composeRecovery } from './recovery.ts';
import { composeSignUp, composeVerification } from './sign-up.ts';

export const mailComposers: Composers = {
  recovery_requested: composeRecovery,
  sign_up_requested: composeSignUp,
  verification_requested: composeVerification,
};
