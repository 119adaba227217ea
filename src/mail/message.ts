/**
 * Makes the bytes of a mail (RFC 5322) from its row. Every attempt makes the same bytes, under the same Message-ID, so
 * that a mail server can recognise a mail that it has already received.
 */

import type { ProviderConfig } from '../provider/schema.ts';
import { type Brand, contentOf } from './letter.ts';
import { loadNodemailer } from './nodemailer.ts';
import type { Letter, Site } from './template.ts';
import { type TemplateName, templates } from './templates.ts';

export interface StoredMail {
  readonly id: string;
  readonly recipient: string;
  readonly template: string;
  readonly data: unknown;
  readonly created_at: Date;
}

const ACCENT = '#3651d4';

const brandOf = ({ provider, portal }: ProviderConfig): Brand => ({
  name: portal.name ?? provider.name,
  accent: portal.accent ?? ACCENT,
  supportEmail: provider.support_email,
});

function letterOf({ template, data }: StoredMail, site: Site): Letter {
  const write = templates[template as TemplateName]?.write as
    | ((data: unknown, site: Site) => Letter)
    | undefined;
  if (write === undefined) throw new Error(`This version has no mail template "${template}".`);
  return write(data, site);
}

export async function messageOf(mail: StoredMail, provider: ProviderConfig): Promise<Buffer> {
  const brand = brandOf(provider);
  const { from } = provider.mail;
  const { createTransport } = await loadNodemailer();
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message } = await composer.sendMail({
    ...contentOf(letterOf(mail, { provider: brand.name }), brand),
    from: { name: brand.name, address: from },
    replyTo: { name: `${brand.name} support`, address: brand.supportEmail },
    // An object, because text would be parsed and could name several recipients.
    to: { name: '', address: mail.recipient },
    messageId: `<${mail.id}@${from.split('@').at(-1)}>`,
    date: mail.created_at,
    baseBoundary: mail.id,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  });
  return message as Buffer;
}
