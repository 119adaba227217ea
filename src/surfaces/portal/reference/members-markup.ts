/** The members of a body or an answer as a list, in which every member has an address of its own. */
import { html, type Markup } from '../../pages/html.ts';
import { join, nothing, type Write } from './markup.ts';
import type { Member } from './members.ts';

/** How texts are written, and the address of what the members are inside of: `body.source`. */
export interface Place {
  readonly write: Write;
  readonly at: string;
}

const within = ({ write, at }: Place, name: string): Place => ({ write, at: `${at}.${name}` });

function valuesMarkup({ values }: Member, write: Write): Markup {
  if (values.length === 0) return nothing;
  const explained = values.some(({ meaning }) => meaning !== '');
  if (!explained)
    return html`<p class="ref-values">${values.map(({ value }) => html`<code>${value}</code> `)}</p>`;
  return html`<dl class="ref-values">${values.map(({ value, meaning }) => html`<div><dt><code>${value}</code></dt><dd>${write(meaning)}</dd></div>`)}</dl>`;
}

function memberMarkup(member: Member, outer: Place): Markup {
  const { name, type, isRequired, description, marks, members, choices } = member;
  const place = within(outer, name);
  const { write, at } = place;
  const count = members.length + choices.length;
  return html`<li id="${at}"><div class="ref-name"><a class="ref-anchor" href="#${at}"><code>${name}</code></a> <span class="ref-type">${type}</span>${isRequired ? html` <span class="ref-required">required</span>` : nothing}</div>
${description === '' ? nothing : html`<p>${write(description)}</p>`}${marks.length === 0 ? nothing : html`<p class="ref-marks">${write(marks.join(' '))}</p>`}${valuesMarkup(member, write)}${
  count === 0
    ? nothing
    : html`<details><summary>${choices.length > 0 ? `${choices.length} alternatives` : `${members.length} ${members.length === 1 ? 'member' : 'members'}`}</summary>${insideMarkup(member, place)}</details>`
}</li>`;
}

export const listMarkup = (members: readonly Member[], place: Place): Markup =>
  members.length === 0
    ? nothing
    : html`<ul class="ref-members">${members.map((member) => memberMarkup(member, place))}</ul>`;

export function insideMarkup(
  { members, choices }: Pick<Member, 'members' | 'choices'>,
  place: Place,
): Markup {
  return join([
    listMarkup(members, place),
    ...choices.map(
      ({ title, value, members: some }) =>
        html`<details class="ref-choice"><summary><code>${title}</code></summary>${listMarkup(some, within(place, value))}</details>`,
    ),
  ]);
}
