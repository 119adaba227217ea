/** The frame of every HTML page: plain, readable on a phone, light and dark, without scripts or foreign resources. */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6675; --line: #d9dfe7; --back: #fff; --code: #f3f5f8; --link: #0b57c2; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaf0; --soft: #9aa7b6; --line: #313a46; --back: #12161c; --code: #1c222b; --link: #7db2ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
a { color: var(--link); text-underline-offset: .15em; }
code { font: .88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; white-space: pre-wrap; }
ul, dl { margin: .4rem 0; padding: 0; list-style: none; }
li, dl > div { padding: .5rem 0; border-top: 1px solid var(--line); }
dt { font-weight: 600; } dd { margin: .1rem 0 0; }
:target { background: var(--code); outline: .5rem solid var(--code); }
`;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Escapes every value; a value made by `html` itself is taken as it is. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  const text = (value: (typeof values)[number]): string =>
    Array.isArray(value)
      ? value.map(({ markup }) => markup).join('')
      : typeof value === 'object'
        ? (value as Markup).markup
        : escapeHtml(String(value));
  return { markup: parts.map((part, i) => part + (i < values.length ? text(values[i]!) : '')).join('') };
}

export interface Markup {
  readonly markup: string;
}

export const page = (title: string, content: Markup): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body><main>
${content.markup}
</main></body>
</html>
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
