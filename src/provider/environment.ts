/** The environment wins over the file. A value from it is checked as if it stood in the file, but blamed on its variable. */
import { isRecord } from './draft.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Read = (text: string) => unknown;

const asText: Read = (text) => text;
/** Left as text when it is no number: the shape then says so. */
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
  /** The variable that a path's value came from. */
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
