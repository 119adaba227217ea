/** Checks whether mails can be sent. */
import { outboxFolder, tryToSignIn } from '../../../mail/delivery.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { type Finding, failed, ok, reasonOf, skipped } from './check.ts';

const NAME = 'Mail';

const fixes: Readonly<Record<string, string>> = {
  EAUTH: 'Correct mail.smtp.user and the content of mail.smtp.password_file.',
  ETLS: 'Set mail.smtp.tls to what the server offers: starttls (port 587) or implicit (port 465). Its certificate must be valid for mail.smtp.host.',
  EDNS: 'Correct mail.smtp.host: no server has this name.',
};

export async function checkMail(config: ProviderConfig): Promise<Finding> {
  const { smtp, from } = config.mail;
  if (smtp === null)
    return skipped(
      NAME,
      `no mail.smtp; mails become files in ${outboxFolder(config)}, and nobody receives them`,
    );
  const place = `${smtp.host}:${smtp.port}`;
  try {
    await tryToSignIn(smtp);
    return ok(NAME, `${place} accepts mails from ${from}`);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const fix =
      fixes[code] ??
      'Check mail.smtp.host, mail.smtp.port and mail.smtp.tls (port 587: starttls, port 465: implicit), and whether a firewall blocks the way.';
    return failed(NAME, `${place}: ${reasonOf(error)}`, fix);
  }
}
