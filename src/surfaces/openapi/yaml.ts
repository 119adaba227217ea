/**
 * Writes JSON values as YAML. The `yaml` library is not used here, because it needs half a second for the whole
 * document and blocks all other requests meanwhile. The tests parse this output with the library.
 */
const PLAIN = /^[A-Za-z$/_][\w/.{}$-]*$/;
/** Words that some YAML parsers do not read as strings. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** Text that a literal block can contain unchanged: no invisible characters, no blank or line break at the start. */
const LITERAL = /^[\x21-\x7e\u00a1-\u2027\u2030-\ud7ff][\n\x20-\x7e\u00a1-\u2027\u2030-\ud7ff]*$/;

function writeText(text: string, indent: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  // A JSON string is also a valid YAML string. A literal block keeps at most one line break at the end.
  if (!text.includes('\n') || text.endsWith('\n\n') || !LITERAL.test(text)) return JSON.stringify(text);
  const lines = text.replace(/\n$/, '').split('\n');
  const body = lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n');
  return `${text.endsWith('\n') ? '|' : '|-'}\n${body}`;
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function writeMember(value: unknown, indent: string): string {
  if (value === null || typeof value !== 'object') return ` ${writeScalar(value, indent)}`;
  if (isEmpty(value)) return Array.isArray(value) ? ' []' : ' {}';
  return `\n${indent}${write(value, indent)}`;
}

function writeScalar(value: unknown, indent: string): string {
  return typeof value === 'string' ? writeText(value, indent) : JSON.stringify(value);
}

/** Leaves the first line without indentation, so that the dash of a list item can precede it. */
function write(value: unknown, indent: string): string {
  if (value === null || typeof value !== 'object') return writeScalar(value, indent);
  if (isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  if (Array.isArray(value)) {
    return value.map((item) => `- ${write(item, `${indent}  `)}`).join(`\n${indent}`);
  }
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${writeKey(name)}:${writeMember(member, `${indent}  `)}`)
    .join(`\n${indent}`);
}

const writeKey = (name: string): string =>
  PLAIN.test(name) && !RESERVED.test(name) ? name : JSON.stringify(name);

export function asYaml(value: object): string {
  return `${write(value, '')}\n`;
}
