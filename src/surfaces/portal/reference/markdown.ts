/** The Markdown twins of the reference, for agents and other programs that read text. */
import type { Content } from './content.ts';
import type { IndexedFamily } from './index-of.ts';
import type { Member } from './members.ts';

const line = ({ name, type, isRequired, description, marks, values }: Member, depth: number): string => {
  const meanings = values.map(({ value, meaning }) => `\`${value}\`${meaning === '' ? '' : ` (${meaning})`}`);
  const told = [description, ...marks, meanings.length > 0 ? `Values: ${meanings.join('; ')}.` : ''];
  return `${'  '.repeat(depth)}- \`${name}\` (${type}${isRequired ? ', required' : ''}): ${told.filter(Boolean).join(' ')}`;
};

function lines({ members, choices }: Pick<Member, 'members' | 'choices'>, depth = 0): string[] {
  return [
    ...members.flatMap((member) => [line(member, depth), ...lines(member, depth + 1)]),
    ...choices.flatMap(({ title, members: some }) => [
      `${'  '.repeat(depth)}- With \`${title}\`:`,
      ...lines({ members: some, choices: [] }, depth + 1),
    ]),
  ];
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

export function markdownOf(content: Content): string {
  const {
    id,
    method,
    path,
    title,
    paragraphs,
    permission,
    facts,
    parameters,
    body,
    answers,
    errors,
    states,
  } = content;
  const parts = [
    `# ${title}`,
    `\`${method} ${path}\` (operation \`${id}\`, permission \`${permission}\`)`,
    `${facts.join('. ')}.`,
    ...paragraphs,
    ...parameters.map(({ place, members }) => `## ${place}\n\n${lines({ members, choices: [] }).join('\n')}`),
    ...(body === null
      ? []
      : [`## Body\n\n${[body.note, lines(body).join('\n')].filter(Boolean).join('\n\n')}`]),
    ...answers.map((answer) =>
      [
        `## ${answer.status}`,
        answer.description,
        lines(answer).join('\n'),
        ...answer.examples.map(({ text }) => fence('json', text)),
      ]
        .filter(Boolean)
        .join('\n\n'),
    ),
    ...(states.length === 0
      ? []
      : [
          `## States\n\nAccepted in: ${states
            .filter(({ isAllowed }) => isAllowed)
            .map(({ state }) => `\`${state}\``)
            .join(', ')}.`,
        ]),
    `## Errors\n\n${errors.map(({ code, status, when, next }) => `- \`${code}\` (${status}): ${when} ${next}`).join('\n')}`,
    ...content.samples.map(({ code, text }) => fence(code, text)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** https://llmstxt.org: what is here, one line for each operation. */
export function llmsText(
  title: string,
  introduction: string,
  families: readonly IndexedFamily[],
  baseUrl: string,
): string {
  const parts = families.map(
    ({ name, description, resources }) =>
      `## ${name}\n\n${description}\n\n${resources
        .flatMap(({ operations }) => operations)
        .map(
          ({ id, method, path, summary }) =>
            `- [${summary}](${baseUrl}/portal/api/reference/${id}.md): \`${method} ${path}\``,
        )
        .join('\n')}`,
  );
  const head = `# ${title}\n\n> The whole specification is ${baseUrl}/openapi.json (OpenAPI 3.1).`;
  return `${[head, introduction, ...parts].join('\n\n')}\n`;
}
