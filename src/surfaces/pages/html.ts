/** The frame of every HTML page beside the portal, in its colours: plain, readable on a phone, light and dark, without scripts or foreign resources. */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --text: #14181f; --soft: #565e6c; --line: #e3e6eb; --back: #f7f8fa; --code: #fff; --link: #2b43b8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8ebf0; --soft: #a3adbb; --line: #272f3a; --back: #0e1116; --code: #151a21; --link: #a3b2ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 15px/1.55 Geist, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
a { color: var(--link); text-underline-offset: .15em; }
code { font: .88em/1.5 "Geist Mono", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem; white-space: pre-wrap; }
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
