/** The HTML of the reference: plain elements that can be read before, and without, any script. */
import { escapeHtml, html, type Markup } from '../../pages/html.ts';
import type { Answer, Content } from './content.ts';
import type { IndexedFamily } from './index-of.ts';
import type { Member } from './members.ts';

const raw = (markup: string): Markup => ({ markup });
const nothing = raw('');
const join = (parts: readonly Markup[]): Markup => raw(parts.map(({ markup }) => markup).join(''));

/** `code` and [links](…) of descriptions; everything else is text. */
const inline = (text: string): Markup =>
  raw(
    escapeHtml(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );

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

function valuesMarkup({ values }: Member): Markup {
  if (values.length === 0) return nothing;
  const explained = values.some(({ meaning }) => meaning !== '');
  if (!explained)
    return html`<p class="ref-values">${values.map(({ value }) => html`<code>${value}</code> `)}</p>`;
  return html`<dl class="ref-values">${values.map(({ value, meaning }) => html`<div><dt><code>${value}</code></dt><dd>${inline(meaning)}</dd></div>`)}</dl>`;
}

function memberMarkup(member: Member): Markup {
  const { name, type, isRequired, description, marks, members, choices } = member;
  const count = members.length + choices.length;
  return html`<li><div class="ref-name"><code>${name}</code> <span class="ref-type">${type}</span>${isRequired ? html` <span class="ref-required">required</span>` : nothing}</div>
${description === '' ? nothing : html`<p>${inline(description)}</p>`}${marks.length === 0 ? nothing : html`<p class="ref-marks">${inline(marks.join(' '))}</p>`}${valuesMarkup(member)}${
  count === 0
    ? nothing
    : html`<details><summary>${choices.length > 0 ? `${choices.length} alternatives` : `${members.length} ${members.length === 1 ? 'member' : 'members'}`}</summary>${insideMarkup(member)}</details>`
}</li>`;
}

function insideMarkup({ members, choices }: Pick<Member, 'members' | 'choices'>): Markup {
  const list =
    members.length === 0 ? nothing : html`<ul class="ref-members">${members.map(memberMarkup)}</ul>`;
  return join([
    list,
    ...choices.map(
      ({ title, members: some }) =>
        html`<details class="ref-choice"><summary><code>${title}</code></summary><ul class="ref-members">${some.map(memberMarkup)}</ul></details>`,
    ),
  ]);
}

const codeBox = (title: string, text: string): Markup =>
  html`<figure class="ref-code"><figcaption>${title}<button type="button" class="btn btn-quiet btn-small" data-copy hidden>Copy</button></figcaption><pre tabindex="0"><code>${coloured(text)}</code></pre></figure>`;

function answerMarkup({ status, description, members, choices, examples }: Answer): Markup {
  const isGood = status.startsWith('2') || status === '304';
  const example = examples.map(({ text }) => codeBox(`${status} example`, text));
  return html`<details class="ref-answer"${raw(isGood && status !== '304' ? ' open' : '')}><summary><span class="ref-status ${isGood ? 'is-good' : 'is-bad'}">${status}</span> ${inline(description)}</summary>${insideMarkup({ members, choices })}${example}</details>`;
}

const section = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

function samplesMarkup({ samples }: Content): Markup {
  const choices = samples.map(
    ({ language }, i) =>
      html`<label><input type="radio" name="language" value="${language}"${raw(i === 0 ? ' checked' : '')}><span>${language}</span></label>`,
  );
  const boxes = samples.map(
    ({ language, text }) => html`<div data-language="${language}">${codeBox('Request', text)}</div>`,
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

export function articleOf(content: Content, hash: string): string {
  const { id, method, path, title, paragraphs, permission, facts, parameters, body, answers, errors } =
    content;
  const head = html`<header><p class="ref-path"><span class="ref-method is-${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<h1>${title}</h1>
<p class="ref-facts"><code>${permission}</code>${facts.map((fact) => html`<span>${fact}</span>`)}</p>
${paragraphs.map((text) => html`<p class="ref-lead">${inline(text)}</p>`)}</header>`;
  const part = ({ place, members }: Content['parameters'][number]): Markup =>
    section(place.toLowerCase(), place, html`<ul class="ref-members">${members.map(memberMarkup)}</ul>`);
  const bodyPart =
    body === null
      ? nothing
      : section(
          'body',
          'Body',
          html`${body.note === '' ? nothing : html`<p class="ref-lead">${inline(body.note)}</p>`}${insideMarkup(body)}`,
        );
  const isPath = ({ place }: Content['parameters'][number]): boolean => place === 'Path';
  const main = join([
    ...parameters.filter(isPath).map(part),
    bodyPart,
    ...parameters.filter((each) => !isPath(each)).map(part),
    section('answers', 'Answers', join(answers.map(answerMarkup))),
    statesMarkup(content),
    section(
      'errors',
      'Errors',
      html`<ul class="ref-errors">${errors.map(({ code, status, when, next }) => html`<li><div class="ref-name"><code>${code}</code> <span class="ref-type">${status}</span></div><p>${inline(when)}</p><p class="ref-marks">${inline(next)}</p></li>`)}</ul>`,
    ),
  ]);
  const first = answers.find(({ examples }) => examples.length > 0)?.examples[0];
  const aside = html`<aside aria-label="Samples"><div class="ref-sticky">${samplesMarkup(content)}${first === undefined ? nothing : codeBox('Answer', first.text)}
<p class="ref-links"><a class="btn btn-primary" href="/portal/api/explorer/${id}">Try it</a> <a class="btn btn-plain" href="/portal/api/json/${id}">View JSON</a> <a class="btn btn-plain" href="/portal/api/reference/${id}.md">Markdown</a></p></div></aside>`;
  return html`<article class="ref" data-operation="${id}"><div class="ref-columns"><div class="ref-text">${head}${main}<p class="ref-hash">Specification <code>${hash}</code></p></div>${aside}</div></article>`
    .markup;
}

/** The index of the reference: every operation, by family and resource. */
export function indexArticle(title: string, families: readonly IndexedFamily[], hash: string): string {
  const count = families.flatMap(({ resources }) => resources.flatMap(({ operations }) => operations)).length;
  return html`<article class="ref ref-index" data-operation=""><header><h1>${title}</h1><p class="ref-lead">All ${count} operations, from the specification that is in effect now. Every page has a twin for programs: add <code>.md</code> to its address, or start at <a class="link" href="/portal/llms.txt">llms.txt</a>.</p></header>
${families.map(
  ({ name, description, resources }) =>
    html`<section><h2>${name}</h2><p class="ref-lead">${description}</p><div class="ref-topics">${resources.map(
      ({ title: topic, purpose, operations }) =>
        html`<div class="ref-topic"><h3>${topic}</h3><p>${inline(purpose)}</p><ul>${operations.map(
          ({ id, method, summary }) =>
            html`<li><a href="/portal/api/reference/${id}"><span class="ref-method is-${method.toLowerCase()}">${method}</span><span>${summary}</span></a></li>`,
        )}</ul></div>`,
    )}</div></section>`,
)}<p class="ref-hash">Specification <code>${hash}</code></p></article>`.markup;
}
