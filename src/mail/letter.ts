/** Makes the text and the HTML form of a mail. The HTML loads nothing: no images, no fonts, nothing that tracks. */
import type { Letter } from './template.ts';

export interface Brand {
  /** The provider's name. */
  readonly name: string;
  /** The colour of the button, such as #3651d4. */
  readonly accent: string;
  readonly supportEmail: string;
}

export interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

const endOf = ({ name, supportEmail }: Brand): string =>
  `This mail was sent by ${name}. Questions? Write to ${supportEmail}.`;

function textOf({ paragraphs, button, unexpected }: Letter, brand: Brand): string {
  const parts = [...paragraphs, `${button.label}:\n${button.link}`, unexpected, `-- \n${endOf(brand)}`];
  return `${parts.join('\n\n')}\n`;
}

const FONT = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

function htmlOf(letter: Letter, brand: Brand): string {
  const { subject, paragraphs, button, unexpected } = letter;
  const paragraph = (text: string, style = 'margin:0 0 16px'): string =>
    `<p style="${style}">${escapeHtml(text)}</p>`;
  const link = escapeHtml(button.link);
  const quiet = 'margin:0 0 12px;font-size:13px;line-height:1.5;color:#565e6c';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;background:#f7f8fa;color:#14181f;${FONT}">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #e3e6eb;border-radius:10px">
<p style="margin:0 0 24px;font-weight:600;color:${escapeHtml(brand.accent)}">${escapeHtml(brand.name)}</p>
${paragraphs.map((text) => paragraph(text)).join('\n')}
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:${escapeHtml(brand.accent)};color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="${quiet}">If the button does not work, open this address:<br><a href="${link}" style="color:#565e6c;word-break:break-all">${link}</a></p>
${paragraph(unexpected, quiet)}
${paragraph(endOf(brand), `${quiet};margin:24px 0 0;padding-top:16px;border-top:1px solid #e3e6eb`)}
</div>
</body>
</html>
`;
}

export const contentOf = (letter: Letter, brand: Brand): Content => ({
  subject: letter.subject,
  text: textOf(letter, brand),
  html: htmlOf(letter, brand),
});
