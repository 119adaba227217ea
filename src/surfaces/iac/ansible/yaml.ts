/** The texts of files, with a line on top that says what they were made from. */
import { stringify } from 'yaml';

export function headed(path: string, text: string, hash: string): string {
  const line = `Made from the specification with the SHA-256 ${hash}.`;
  if (path.endsWith('.yml')) return `# ${line}\n${text}`;
  return path.endsWith('.j2') ? `{# ${line} #}\n${text}` : text;
}

/** Lines are never folded: a template must stay on its line. */
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0, singleQuote: false });
