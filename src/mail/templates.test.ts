import { describe, expect, it } from 'vitest';
import { contentOf } from './letter.ts';
import { type MailData, type TemplateName, templates } from './templates.ts';

const link = 'https://portal.example.test/x?a=1&b=2#token=t';
const at = new Date('2026-03-01T10:00:00Z');

/** `text` stands for everything that a customer can choose. */
const examples = (text: string): { [T in TemplateName]: MailData<T> } => {
  const change = { name: text, at, address: text, link };
  const ticket = { name: text, number: 12, subject: text, link };
  return {
    verify_email: { name: text, link, expires_at: at },
    already_registered: { name: text, link },
    recover_password: { name: text, link, expires_at: at },
    recovery_unknown: { link },
    recovery_used: { ...change, waits_until: at },
    invitation: { inviter: text, account_name: text, role: text, link, expires_at: at },
    welcome: { name: text, account_name: text, link },
    address_null_routed: { name: text, account_name: text, address: text, reason: text, until: at, link },
    second_factor_changed: { ...change, change: 'passkey_added', passkey_name: text },
    password_changed: change,
    recovery_code_used: { ...change, left: 9 },
    sign_in_from_new_device: { ...change, device: text },
    approval_requested: { name: text, account_name: text, key_name: text, call: text, link, expires_at: at },
    ticket_answered: { ...ticket, excerpt: text, waits: true },
    ticket_reminder: { ...ticket, solved_at: at },
    ticket_solved: { ...ticket, by: 'silence', days: 7 },
    ticket_closed: { ...ticket, reopen_until: at },
  };
};

const brand = { name: 'Example <Hosting>', accent: '#3651d4', supportEmail: 'support@example.test' };
const names = Object.keys(templates) as TemplateName[];

function write(name: TemplateName, text: string) {
  const { write } = templates[name] as { write(data: unknown, site: object): ReturnType<never> };
  // As from the database: times come back as text.
  const stored = JSON.parse(JSON.stringify(examples(text)[name]));
  return contentOf(write(stored, { provider: brand.name }), brand);
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=https://evil.test/x.png>',
  'Free money at https://evil.test/now or www.evil.test',
  'two\r\nBcc: eve@evil.test\r\n\r\nlines',
  '\u202Egnp.exe\u200B',
  'a'.repeat(500),
];

describe.each(names)('%s', (name) => {
  it('has a subject of one line, the link in text and HTML, and loads nothing', () => {
    const { subject, text, html } = write(name, 'Zoë & Co');
    expect(subject).toMatch(/^[^\r\n]{10,78}$/);
    expect(text).toContain(link);
    expect(text).not.toMatch(/undefined|null|NaN|Invalid Date|\[object/);
    expect(html).toContain(`href="${link.replace('&', '&amp;')}"`);
    expect(html).not.toMatch(/<(img|script|link|iframe|style)|url\(|undefined|Invalid Date/);
    const addresses = [...`${text}${html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([url]) => url);
    expect(new Set(addresses.map((url) => url.replaceAll('&amp;', '&')))).toEqual(new Set([link]));
    expect(html).toContain('Example &lt;Hosting&gt;');
    expect(text).not.toContain('Zoë &amp;');
    for (const line of text.split('\n')) expect(line).toMatch(/^[^\p{Cc}]*$/u);
  });

  it.each(HOSTILE)('shows a text of a customer as one harmless line: %j', (hostile) => {
    const { subject, text, html } = write(name, hostile);
    expect(subject).toMatch(/^[^\p{Cc}\u202E]*$/u);
    expect(html).not.toMatch(/<script|<img/);
    expect(`${text}${html}`).not.toMatch(/evil\.test|https?:\/\/evil|[\u202E\u200B]|^Bcc:/m);
    expect(text).not.toMatch(/a{101}/);
    expect(html.match(/<(\w+)/g)?.sort()).toEqual(
      write(name, 'Zoë')
        .html.match(/<(\w+)/g)
        ?.sort(),
    );
  });
});
