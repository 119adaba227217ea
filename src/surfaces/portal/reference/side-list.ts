/** The list of related pages beside an article. Where there is no room beside it, it is folded above it. */
import { html, type Markup } from '../../pages/html.ts';
import { raw } from './markup.ts';

interface Group {
  readonly title: string;
  readonly links: readonly { readonly path: string; readonly text: string }[];
}

export const sideList = (title: string, groups: readonly Group[], current: string): Markup =>
  html`<nav class="ref-list" aria-label="${title}"><details><summary>${title}</summary>${groups.map(
    ({ title: name, links }) =>
      html`<p>${name}</p><ul>${links.map(({ path, text }) => html`<li><a href="${path}"${raw(path === current ? ' aria-current="page"' : '')}>${text}</a></li>`)}</ul>`,
  )}</details></nav>`;
