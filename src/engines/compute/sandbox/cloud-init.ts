/** Simulates cloud-init: writes the guest data and user data to the disk, and collects the output for the console. */
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import type { Guest } from '../instance.ts';
import type { CloudInit, Disk, System } from './state.ts';

interface Told {
  readonly files: Readonly<Record<string, string>>;
  readonly printed: readonly string[];
}

const NOTHING: Told = { files: {}, printed: [] };
const MOST_LINES = 200;

export function fingerprintOf(publicKey: string): string {
  const [type = '', material = '', ...comment] = publicKey.trim().split(/\s+/);
  const digest = createHash('sha256').update(Buffer.from(material, 'base64')).digest('base64');
  return `${type} SHA256:${digest.replace(/=+$/, '')} ${comment.join(' ')}`.trim();
}

/** Returns the output of a shell line that is only an `echo`; null for all other lines. */
function printedBy(line: string): string | null {
  const said = /^\s*echo\s+(?!-)([^;&|<>`$]*)$/.exec(line)?.[1];
  if (said === undefined) return null;
  return said.trim().replace(/^(["'])(.*)\1$/, '$2');
}

const isText = (value: unknown): value is string => typeof value === 'string';

function linesOf(commands: unknown): string[] {
  if (!Array.isArray(commands)) return [];
  return commands.map((command) =>
    Array.isArray(command) ? command.filter(isText).join(' ') : isText(command) ? command : '',
  );
}

function filesOf(entries: unknown): Record<string, string> {
  if (!Array.isArray(entries)) return {};
  const files = entries as { path?: unknown; content?: unknown; encoding?: unknown }[];
  return Object.fromEntries(
    files
      .filter((file) => isText(file?.path))
      .map(({ path, content, encoding }) => {
        const text = isText(content) ? content : '';
        const isBase64 = isText(encoding) && /^b(ase)?64$/.test(encoding);
        return [path as string, isBase64 ? Buffer.from(text, 'base64').toString() : text];
      }),
  );
}

function readConfig(text: string): Told {
  let config: Record<string, unknown> | null;
  try {
    config = parse(text, { maxAliasCount: 0 }) as Record<string, unknown> | null;
  } catch {
    return { ...NOTHING, printed: ['WARNING: failed to parse the user data as YAML; it is ignored'] };
  }
  if (typeof config !== 'object' || config === null) return NOTHING;
  const commands = [...linesOf(config['bootcmd']), ...linesOf(config['runcmd'])];
  const packages = Array.isArray(config['packages']) ? config['packages'].filter(isText) : [];
  return {
    files: filesOf(config['write_files']),
    printed: [
      ...packages.map((name) => `Setting up ${name} ...`),
      ...commands.map(printedBy).filter((line) => line !== null),
    ],
  };
}

function readUserData(text: string | null): Told {
  if (text === null) return NOTHING;
  if (text.startsWith('#cloud-config')) return readConfig(text);
  if (!text.startsWith('#!')) return NOTHING;
  const printed = text
    .split('\n')
    .map(printedBy)
    .filter((line) => line !== null);
  return { files: {}, printed };
}

export const shadowWith = (shadow: string | undefined, user: string, hash: string): string => {
  const others = (shadow ?? '').split('\n').filter((line) => line !== '' && !line.startsWith(`${user}:`));
  return `${[...others, `${user}:${hash}`].join('\n')}\n`;
};

export function seedDisk(
  disk: Disk,
  { hostname, sshKeys, passwordHash, userData }: Guest,
  { defaultUser: user }: System,
): { disk: Disk; cloudInit: CloudInit } {
  const told = readUserData(userData);
  const home = user === 'root' ? '/root' : `/home/${user}`;
  const shadow =
    passwordHash === null ? disk['/etc/shadow'] : shadowWith(disk['/etc/shadow'], user, passwordHash);
  return {
    disk: {
      ...disk,
      '/etc/hostname': `${hostname}\n`,
      ...(sshKeys.length > 0 ? { [`${home}/.ssh/authorized_keys`]: `${sshKeys.join('\n')}\n` } : {}),
      ...(shadow === undefined ? {} : { '/etc/shadow': shadow }),
      ...told.files,
    },
    cloudInit: {
      hostname,
      user,
      fingerprints: sshKeys.map(fingerprintOf),
      printed: told.printed.slice(0, MOST_LINES),
    },
  };
}
