/** The small pieces of the HTML: texts with links, coloured code, sections. */
import { escapeHtml, html, type Markup } from '../../pages/html.ts';

export const raw = (markup: string): Markup => ({ markup });
export const nothing = raw('');
export const join = (parts: readonly Markup[]): Markup => raw(parts.map(({ markup }) => markup).join(''));

export type Write = (text: string) => Markup;

export const referencePath = (id: string): string => `/portal/api/reference/${id}`;

/**
 * Writes descriptions: `code`, **strong**, [links](…) to pages of the web, and ids of operations as links to their pages,
 * except on their own.
 */
export function writerOf(ids: ReadonlySet<string>, own = ''): Write {
  const linked = (word: string, inner: string): string =>
    ids.has(word) && word !== own ? `<a class="link" href="${referencePath(word)}">${inner}</a>` : inner;
  const plain = (text: string): string =>
    escapeHtml(text)
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
      .replaceAll(/\[([^\]]+)\]\((https:[^\s()"]+)\)/g, '<a class="link" href="$2">$1</a>')
      .replaceAll(/(?<![\w/.-])[a-z]+[A-Z]\w*/g, (word) => linked(word, word));
  return (text) =>
    raw(
      text
        .split(/(`[^`]+`)/)
        .map((part) => {
          if (!/^`[^`]+`$/.test(part)) return plain(part);
          const code = part.slice(1, -1);
          return linked(code, `<code>${escapeHtml(code)}</code>`);
        })
        .join(''),
    );
}

const PARTS =
  /(&quot;(?:(?!&quot;|\\).|\\.)*&quot;)(\s*:)?|\b(true|false|null|True|False|None)\b|(?<![\w./-])(-?\d+(?:\.\d+)?)(?![\w./-])/g;

const coloured = (text: string): Markup =>
  raw(
    escapeHtml(text).replaceAll(
      PARTS,
      (_whole, string?: string, colon = '', word?: string, number?: string) => {
        if (string !== undefined)
          return `<span class="${colon === '' ? 'c-s' : 'c-n'}">${string}</span>${colon}`;
        return `<span class="c-v">${word ?? number}</span>`;
      },
    ),
  );

export const codeBox = (title: string, text: string): Markup =>
  html`<figure class="ref-code"><figcaption>${title}<button type="button" class="btn btn-quiet btn-small" data-copy hidden>Copy</button></figcaption><pre tabindex="0"><code>${coloured(text)}</code></pre></figure>`;

export const section = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
