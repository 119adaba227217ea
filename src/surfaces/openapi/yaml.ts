/**
 * JSON values as YAML. Written by hand because the library takes half a second for the whole document, in which no
 * other request is answered; the tests hold what this writes against what the library reads.
 */
const PLAIN = /^[A-Za-z$/_][\w/.{}$-]*$/;
/** Words that some readers take for something else than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** What a literal block can hold as it is: nothing invisible, no blank at its start, at most one line break at its end. */
const LITERAL = /^[\x21-\x7e\u00a1-\u2027\u2030-\ud7ff][\n\x20-\x7e\u00a1-\u2027\u2030-\ud7ff]*$/;

function writeText(text: string, indent: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  // What JSON quotes is quoted in YAML as well.
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

/** Without the indentation of its first line, so that a list's dash can stand before it. */
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
