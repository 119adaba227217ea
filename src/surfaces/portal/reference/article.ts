/** The HTML of an operation's page: plain elements that can be read before, and without, any script. */
import { html, type Markup } from '../../pages/html.ts';
import type { Answer, Content } from './content.ts';
import type { IndexedFamily } from './index-of.ts';
import { codeBox, join, nothing, raw, referencePath, section, type Write, writerOf } from './markup.ts';
import { insideMarkup, listMarkup } from './members-markup.ts';
import { sideList } from './side-list.ts';

function answerMarkup({ status, description, members, choices, examples }: Answer, write: Write): Markup {
  const isGood = status.startsWith('2') || status === '304';
  const example = examples.map(({ text }) => codeBox(`${status} example`, text));
  const at = `answer.${status}`;
  return html`<details class="ref-answer" id="${at}"${raw(isGood && status !== '304' ? ' open' : '')}><summary><span class="ref-status ${isGood ? 'is-good' : 'is-bad'}">${status}</span> ${write(description)}</summary>${insideMarkup({ members, choices }, { write, at })}${example}</details>`;
}

function samplesMarkup({ samples }: Content): Markup {
  const choices = samples.map(
    ({ language }, i) =>
      html`<label><input type="radio" name="language" value="${language}"${raw(i === 0 ? ' checked' : '')}><span>${language}</span></label>`,
  );
  const boxes = samples.map(
    ({ language, text, comment, keyVariable }) =>
      html`<div data-language="${language}" data-comment="${comment}" data-key-variable="${keyVariable}">${codeBox('Request', text)}</div>`,
  );
  return html`<div class="ref-samples"><fieldset class="ref-languages"><legend class="sr-only">Language</legend>${choices}</fieldset>${boxes}</div>`;
}

function statesMarkup({ states }: Content): Markup {
  if (states.length === 0) return nothing;
  const rows = states.map(
    ({ state, isAllowed, isTransient }) =>
      html`<li class="${isAllowed ? 'is-good' : 'is-off'}"><code>${state}</code> ${isAllowed ? 'accepted' : isTransient ? 'wait until it has ended' : 'refused'}</li>`,
  );
  return section('states', 'States', html`<ul class="ref-states">${rows}</ul>`);
}

const headerMarkup = (
  { id, method, path, title, paragraphs, permission, facts }: Content,
  write: Write,
): Markup =>
  html`<header><p class="ref-path"><span class="ref-method is-${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<h1>${title}</h1>
<p class="ref-links"><a class="btn btn-primary" href="/portal/api/explorer/${id}">Try it</a> <a class="btn btn-plain" href="/portal/api/json/${id}">View JSON</a> <a class="btn btn-plain" href="${referencePath(id)}.md">Markdown</a></p>
<p class="ref-facts"><code>${permission}</code>${facts.map((fact) => html`<span>${fact}</span>`)}</p>
<div class="ref-may"></div>
${paragraphs.map((text) => html`<p class="ref-lead">${write(text)}</p>`)}</header>`;

const errorsMarkup = ({ errors }: Content, write: Write): Markup =>
  section(
    'errors',
    'Errors',
    html`<ul class="ref-errors">${errors.map(
      ({ code, status, when, next }) =>
        html`<li><div class="ref-name"><a class="ref-anchor" href="${referencePath('errors')}/${code}"><code>${code}</code></a> <span class="ref-type">${status}</span></div><p>${write(when)}</p><p class="ref-marks">${write(next)}</p></li>`,
    )}</ul>`,
  );

export interface Surroundings {
  readonly hash: string;
  readonly ids: ReadonlySet<string>;
  /** The family of the operation, whose other operations stand beside it. */
  readonly family: IndexedFamily;
}

export function articleOf(content: Content, { hash, ids, family }: Surroundings): string {
  const { id, parameters, body, answers } = content;
  const write = writerOf(ids, id);
  const part = ({ place, members }: Content['parameters'][number]): Markup => {
    const at = place.toLowerCase();
    return section(at, place, listMarkup(members, { write, at }));
  };
  const bodyPart =
    body === null
      ? nothing
      : section(
          'body',
          'Body',
          html`${body.note === '' ? nothing : html`<p class="ref-lead">${write(body.note)}</p>`}${insideMarkup(body, { write, at: 'body' })}`,
        );
  const isPath = ({ place }: Content['parameters'][number]): boolean => place === 'Path';
  const main = join([
    ...parameters.filter(isPath).map(part),
    bodyPart,
    ...parameters.filter((each) => !isPath(each)).map(part),
    section('answers', 'Answers', join(answers.map((answer) => answerMarkup(answer, write)))),
    statesMarkup(content),
    errorsMarkup(content, write),
  ]);
  const first = answers.find(({ examples }) => examples.length > 0)?.examples[0];
  const aside = html`<aside aria-label="Samples"><div class="ref-sticky">${samplesMarkup(content)}${first === undefined ? nothing : codeBox('Answer', first.text)}</div></aside>`;
  const list = sideList(
    `${family.name} operations`,
    family.resources.map(({ title, operations }) => ({
      title,
      links: operations.map((operation) => ({ path: referencePath(operation.id), text: operation.summary })),
    })),
    referencePath(id),
  );
  return html`<article class="ref ref-page" data-operation="${id}"><div class="ref-columns">${list}<div class="ref-text">${headerMarkup(content, write)}${main}<p class="ref-hash">Specification <code>${hash}</code></p></div>${aside}</div></article>`
    .markup;
}
