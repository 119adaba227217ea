/** Writes a mail in the transaction that causes it. */
import type { Tx } from '../store/database.ts';

interface Change {
  readonly name: string;
  readonly at: string;
  readonly address: string;
  readonly link: string;
}

interface Templates {
  readonly verify_email: { name: string; link: string; expires_at: string };
  readonly already_registered: { name: string; link: string };
  readonly recover_password: { name: string; link: string; expires_at: string };
  readonly recovery_unknown: { link: string };
  readonly recovery_used: Change & { waits_until: string | null };
  readonly invitation: {
    inviter: string;
    account_name: string;
    role: string;
    link: string;
    expires_at: string;
  };
  readonly welcome: { name: string; account_name: string; link: string };
  readonly second_factor_changed: Change & {
    change: 'totp_added' | 'totp_removed' | 'passkey_added' | 'passkey_removed' | 'recovery_codes_replaced';
    passkey_name?: string;
  };
  readonly password_changed: Change;
  readonly recovery_code_used: Change & { left: number };
  readonly sign_in_from_new_device: Change & { device: string };
}

export type NewMail = {
  readonly [T in keyof Templates]: {
    readonly to: string;
    readonly template: T;
    readonly data: Templates[T];
  };
}[keyof Templates];

/** The mails of this process; the outbox table replaces it. */
export const sent: NewMail[] = [];

export async function sendMail(_tx: Tx, mail: NewMail): Promise<string | null> {
  sent.push(mail);
  return null;
}
