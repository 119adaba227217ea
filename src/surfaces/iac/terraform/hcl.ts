/** Writes HCL, the language of Terraform and OpenTofu, as `tofu fmt` would. */

/** A text between quotes, in which nothing is a template. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll('${', () => '$${').replaceAll('%{', '%%{');

const isName = (text: string): boolean => /^[A-Za-z_][\w-]*$/.test(text);

const nameOf = (text: string): string => (isName(text) ? text : quoted(text));

/** A value of JSON in one line. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null || typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([name, member]) => `${nameOf(name)} = ${literal(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** `{`, one line for each part, and `}`. */
export const braces = (parts: readonly string[], open = '{', close = '}'): string =>
  parts.length === 0 ? `${open}${close}` : `${open}\n${indented(parts.join('\n'))}\n${close}`;

export const block = (head: string, parts: readonly string[]): string => `${head} ${braces(parts)}`;

export const assign = (name: string, value: string): string => `${nameOf(name)} = ${value}`;

/** How many brackets a line opens more than it closes; those in texts do not count. */
function openBrackets(line: string): number {
  const code = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return (code.match(/[[({]/g) ?? []).length - (code.match(/[\])}]/g) ?? []).length;
}

const assignment = /^(\s*(?:[\w-]+|"[^"]*"))\s+=\s(.*)$/;

/** Aligns the equals signs of assignments that follow each other and end on their line. */
export function aligned(text: string): string {
  const lines = text.split('\n');
  const parts = lines.map((line) => {
    const [, name = '', value = ''] = assignment.exec(line) ?? [];
    return name !== '' && openBrackets(value) === 0 ? { name, value } : undefined;
  });
  return lines
    .map((line, i) => {
      const own = parts[i];
      if (own === undefined) return line;
      let [first, last] = [i, i];
      while (parts[first - 1] !== undefined) first--;
      while (parts[last + 1] !== undefined) last++;
      const width = Math.max(...parts.slice(first, last + 1).map((part) => part?.name.length ?? 0));
      return `${own.name.padEnd(width)} = ${own.value}`;
    })
    .join('\n');
}
