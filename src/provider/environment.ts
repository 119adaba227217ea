/**
 * Environment variables override the file. Their values pass the same checks as values in the file, but a fault names
 * the variable instead of a line.
 */
import { isRecord } from './draft.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Read = (text: string) => unknown;

const asText: Read = (text) => text;
/** Text that is not a number stays text, so that schema validation reports it. */
const asPort: Read = (text) => (/^\d{1,5}$/.test(text) ? Number(text) : text);
const asList: Read = (text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const variables: readonly (readonly [variable: string, section: string, member: string, read: Read])[] = [
  ['HOSTPLANE_HOST', 'server', 'host', asText],
  ['HOSTPLANE_PORT', 'server', 'port', asPort],
  ['HOSTPLANE_WORKER_PORT', 'server', 'worker_port', asPort],
  ['HOSTPLANE_BASE_URL', 'server', 'base_url', asText],
  ['HOSTPLANE_TRUSTED_PROXIES', 'server', 'trusted_proxies', asList],
  ['HOSTPLANE_DATA', 'database', 'folder', asText],
];

export interface Applied {
  readonly value: unknown;
  /** The variable that set the value at this path, or `null`. */
  variableOf(path: string): string | null;
}

export function applyEnvironment(value: unknown, env: Environment): Applied {
  const origin = new Map<string, string>();
  const sections = isRecord(value) ? { ...value } : {};
  for (const [variable, section, member, read] of variables) {
    const text = env[variable];
    const present = sections[section];
    if (text === undefined || text === '' || !isRecord(present)) continue;
    sections[section] = { ...present, [member]: read(text) };
    origin.set(`/${section}/${member}`, variable);
  }
  const variableOf = (path: string): string | null => {
    for (const [known, variable] of origin) {
      if (path === known || path.startsWith(`${known}/`)) return variable;
    }
    return null;
  };
  return { value: isRecord(value) ? sections : value, variableOf };
}
