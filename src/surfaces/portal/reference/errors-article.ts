/** The pages about error codes: all of them, and one for each. `type` of a problem leads to the latter. */
import { type ProblemCode, problems } from '../../../kernel/problems/catalogue.ts';
import { codesOf, type Entry, type Resolver } from '../../openapi/resolved.ts';
import { html, type Markup } from '../../pages/html.ts';
import { join, nothing, referencePath, section, writerOf } from './markup.ts';
import { sideList } from './side-list.ts';

interface Facts {
  readonly hash: string;
  readonly entries: readonly Entry[];
  readonly resolver: Resolver;
}

const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => !problems[code].portalOnly);

const groups: readonly (readonly [title: string, from: number, to: number])[] = [
  ['The request', 400, 401],
  ['Keys and permissions', 401, 404],
  ['Not there', 404, 405],
  ['Conflicts and values', 405, 429],
  ['Limits', 429, 500],
  ['The service', 500, 600],
];

const grouped = groups
  .map(([title, from, to]) => ({
    title,
    codes: codes.filter((code) => problems[code].status >= from && problems[code].status < to),
  }))
  .filter((group) => group.codes.length > 0);

const path = (code: string): string => `${referencePath('errors')}/${code}`;

const frame = (current: string, content: Markup, hash: string): string =>
  html`<article class="ref ref-page" data-operation=""><div class="ref-columns ref-two">${sideList(
    'Errors',
    grouped.map(({ title, codes: some }) => ({
      title,
      links: some.map((code) => ({ path: path(code), text: code })),
    })),
    current,
  )}<div class="ref-text">${content}<p class="ref-hash">Specification <code>${hash}</code></p></div></div></article>`
    .markup;

export function errorsArticle({ hash, entries }: Facts): string {
  const write = writerOf(new Set(entries.map(({ id }) => id)));
  const listed = (code: ProblemCode): Markup => {
    const { status, when, next_step } = problems[code];
    return html`<li id="${code}"><div class="ref-name"><a class="ref-anchor" href="${path(code)}"><code>${code}</code></a> <span class="ref-type">${status}</span></div><p>${write(when)}</p><p class="ref-marks">${write(next_step)}</p></li>`;
  };
  const parts = grouped.map(({ title, codes: some }, i) =>
    section(`group-${i + 1}`, title, html`<ul class="ref-errors">${some.map(listed)}</ul>`),
  );
  return frame(
    referencePath('errors'),
    html`<header><h1>Errors</h1><p class="ref-lead">Branch on <code>code</code>, then on the status. The <code>request_id</code> of an error helps your provider to find the request.</p></header>${join(parts)}`,
    hash,
  );
}

/** Undefined: the API has no such code. */
export function errorArticle(code: string, { hash, entries, resolver }: Facts): string | undefined {
  const known = codes.find((each) => each === code);
  if (known === undefined) return undefined;
  const { status, title, when, next_step } = problems[known];
  const write = writerOf(new Set(entries.map(({ id }) => id)));
  const answering = entries.filter((entry) => codesOf(entry, resolver).includes(code));
  const operations =
    answering.length === entries.length
      ? html`<p class="ref-lead">Every operation can answer with it.</p>`
      : html`<ul class="ref-uses">${answering.map(({ id, method, operation }) => html`<li><a href="${referencePath(id)}"><span class="ref-method is-${method.toLowerCase()}">${method}</span><span>${operation.summary}</span></a></li>`)}</ul>`;
  return frame(
    path(code),
    html`<header><p class="ref-path"><span class="ref-status is-bad">${status}</span> <code>${code}</code></p><h1>${title}</h1><p class="ref-lead">${write(when)}</p></header>${section('next', 'What to do', html`<p class="ref-lead">${write(next_step)}</p>`)}${answering.length === 0 ? nothing : section('operations', 'Operations', operations)}`,
    hash,
  );
}
