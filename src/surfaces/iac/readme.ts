/** What the READMEs of modules, roles and scenarios have in common. */
import { createKeyLine, createKeyLink } from './permissions.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** The permissions that a key needs for `what`, and how to create such a key. */
export const keyText = (what: string, baseUrl: string, permissions: readonly string[]): string => `\
A key for ${what} needs no more than:

${permissions.map((permission) => `- \`${permission}\``).join('\n')}

[Create a key with just these](${createKeyLink(baseUrl, permissions)}), or on the server:

\`\`\`sh
${createKeyLine(permissions)}
\`\`\``;
