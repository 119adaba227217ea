import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';
import { isLoopback } from './server.ts';

export function checkMail(draft: Draft, report: Report): void {
  if (!draft.isSound('/mail/smtp')) return;
  const { smtp } = draft.file.mail;
  if (smtp === null) return;
  if ((smtp.user === null) !== (smtp.password_file === null)) {
    const [given, missing] = smtp.user === null ? ['password_file', 'user'] : ['user', 'password_file'];
    report(
      `/mail/smtp/${given}`,
      `${given} is given without ${missing}.`,
      `Add ${missing}, or remove ${given}.`,
    );
  }
  if (smtp.tls === 'none' && smtp.user !== null && !isLoopback(smtp.host)) {
    const fix = 'Set tls to starttls or implicit, or use a relay that needs no user.';
    report('/mail/smtp/tls', `The password would be sent to ${smtp.host} unencrypted.`, fix);
  }
}
