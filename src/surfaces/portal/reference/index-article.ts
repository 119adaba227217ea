/** The start page of the reference. */
import { html } from '../../pages/html.ts';
import type { IndexedFamily } from './index-of.ts';
import { referencePath, writerOf } from './markup.ts';

/** The index of the reference: every operation, by family and resource. */
export function indexArticle(title: string, families: readonly IndexedFamily[], hash: string): string {
  const ids = families.flatMap(({ resources }) =>
    resources.flatMap(({ operations }) => operations.map(({ id }) => id)),
  );
  const write = writerOf(new Set(ids));
  return html`<article class="ref ref-index" data-operation=""><header><h1>${title}</h1><p class="ref-lead">All ${ids.length} operations, from the specification that is in effect now. Every page has a twin for programs: add <code>.md</code> to its address, or start at <a class="link" href="/portal/llms.txt">llms.txt</a>. <a class="link" href="${referencePath('errors')}">Errors</a> says what to do about each error code.</p></header>
${families.map(
  ({ name, description, resources }) =>
    html`<section><h2>${name}</h2><p class="ref-lead">${description}</p><div class="ref-topics">${resources.map(
      ({ title: topic, purpose, operations }) =>
        html`<div class="ref-topic"><h3>${topic}</h3><p>${write(purpose)}</p><ul>${operations.map(
          ({ id, method, summary }) =>
            html`<li><a href="${referencePath(id)}"><span class="ref-method is-${method.toLowerCase()}">${method}</span><span>${summary}</span></a></li>`,
        )}</ul></div>`,
    )}</div></section>`,
)}<p class="ref-hash">Specification <code>${hash}</code></p></article>`.markup;
}
