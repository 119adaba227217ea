/** Runs the real `ansible-playbook` with the collection of a document, against a server on loopback. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

export function whyNoAnsible(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const isThere = folders.some((folder) => {
    try {
      accessSync(join(folder, 'ansible-playbook'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return isThere ? null : 'no ansible-playbook on this machine: install the package ansible-core';
}

/** How many tasks of a host ended in each way. */
interface Recap {
  readonly changed: number;
  readonly failed: number;
}

export interface Run {
  readonly code: number;
  readonly output: string;
  /** By host. */
  readonly recap: Readonly<Record<string, Recap>>;
}

export type Hosts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The same under other names, for a second look at the same resources in one run. */
export const renamed = (hosts: Hosts, word: string): Hosts =>
  Object.fromEntries(Object.entries(hosts).map(([host, vars]) => [`${word}-${host}`, vars]));

export interface Ansible {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
}

const CONFIGURATION = 'ansible.cfg';

/** Without it, Ansible looks for results a thousand times a second, and starts two more processes per task. */
export const configuration = '[defaults]\ninternal_poll_interval = 0.02\npipelining = true\n';

const environmentOf = ({ folder, url, key }: Ansible): Record<string, string | undefined> => ({
  ...process.env,
  HOME: folder,
  ANSIBLE_CONFIG: join(folder, CONFIGURATION),
  HOSTPLANE_URL: url,
  HOSTPLANE_API_KEY: key,
  ANSIBLE_HOME: join(folder, 'home'),
  ANSIBLE_LOCAL_TEMP: join(folder, 'tmp'),
  ANSIBLE_REMOTE_TEMP: join(folder, 'tmp'),
  ANSIBLE_COLLECTIONS_PATH: folder,
  ANSIBLE_NOCOLOR: '1',
  ANSIBLE_FORKS: '4',
  LC_ALL: 'C.UTF-8',
});

export const collectionIn = (folder: string): string => join(folder, 'ansible_collections/hostplane/cloud');

export async function writeCollection(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, CONFIGURATION), configuration);
  for (const [path, text] of Object.entries(files)) {
    const file = join(collectionIn(folder), path.replace(/^ansible\//, ''));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Each host takes the role in its variable `role`. A host that fails does not stop the others. */
const PLAYBOOK = [
  {
    name: 'One resource per host',
    hosts: 'all',
    connection: 'local',
    gather_facts: false,
    strategy: 'free',
    tasks: [{ 'ansible.builtin.include_role': { name: 'hostplane.cloud.{{ role }}' } }],
  },
];

function recapOf(output: string): Record<string, Recap> {
  const lines = output.slice(output.lastIndexOf('PLAY RECAP')).matchAll(/^(\S+)\s+: ok=.*$/gm);
  const count = (line: string, word: string) => Number(new RegExp(`${word}=(\\d+)`).exec(line)?.[1]);
  return Object.fromEntries(
    [...lines].map(([line, host = '']) => [
      host,
      { changed: count(line, 'changed'), failed: count(line, 'failed') },
    ]),
  );
}

export async function playFiles(
  ansible: Ansible,
  playbooks: readonly string[],
  args: readonly string[] = [],
): Promise<Run> {
  const options = { env: environmentOf(ansible), maxBuffer: 64 * 1024 * 1024, cwd: ansible.folder };
  return new Promise((resolve) => {
    const child = execFile('ansible-playbook', [...args, ...playbooks], options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output, recap: recapOf(output) });
    });
    child.stdin?.end();
  });
}

/** Runs the role of each host. */
export async function play(ansible: Ansible, hosts: Hosts, args: readonly string[] = []): Promise<Run> {
  const { folder } = ansible;
  // Modules need only the standard library. Python starts faster if it looks for nothing else.
  const python = { ansible_python_interpreter: '{{ ansible_playbook_python }} -IS' };
  await writeFile(join(folder, 'hosts.json'), JSON.stringify({ all: { hosts, vars: python } }));
  await writeFile(join(folder, 'play.json'), JSON.stringify(PLAYBOOK));
  return playFiles(ansible, ['play.json'], ['-i', 'hosts.json', ...args]);
}
