/** `hostplane iac`: lists or downloads the Terraform modules, Ansible roles and scenarios that the server makes. */
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { BuiltInCommand } from '../built-in.ts';
import { globalFlags, isOn, last } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { type Client, Refused } from '../http/client.ts';
import { openSession, printerFor } from '../session.ts';
import { download, type FileEntry } from './download.ts';

const PATH = '/iac/';

const isEntry = (value: unknown): value is FileEntry => {
  const { path, size, sha256 } = (value ?? {}) as Partial<FileEntry>;
  return typeof path === 'string' && typeof size === 'number' && typeof sha256 === 'string';
};

async function filesOf(client: Client): Promise<readonly FileEntry[]> {
  try {
    const { body } = await client.call({ method: 'GET', path: PATH });
    const { files } = (body ?? {}) as { readonly files?: unknown };
    if (Array.isArray(files) && files.every(isEntry)) return files;
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
  }
  throw new Failure(
    `${client.url} has no files for Terraform and Ansible. Ask your provider for a newer version.`,
    exitCodes.notFound,
  );
}

/** The files below a path, else those in all folders of that name. */
function select(files: readonly FileEntry[], what: string): readonly FileEntry[] {
  const wanted = what.replace(/\/+$/, '');
  const below = files.filter(({ path }) => path === wanted || path.startsWith(`${wanted}/`));
  const named = below.length > 0 ? below : files.filter(({ path }) => path.includes(`/${wanted}/`));
  if (named.length > 0) return named;
  const near = nearest(
    wanted,
    files.flatMap(({ path }) => path.split('/').slice(0, -1)),
  );
  const hint = near === null ? 'hostplane iac lists all files.' : `Did you mean ${near}?`;
  throw new Failure(`There are no files in "${what}". ${hint}`, exitCodes.notFound);
}

const globalOutput = globalFlags.find(({ name }) => name === 'output');
const formats = globalOutput?.values ?? [];

export const iac: BuiltInCommand = {
  words: ['iac'],
  summary: 'List Terraform modules, Ansible roles and scenarios, or write them into a folder.',
  description:
    'Without --output, lists the files. With --output <folder>, writes them there, each one as a whole or not at all. Your own changes are kept: a file that differs is overwritten only with --force. The server makes the files from its live specification; run the command again after an update of the server.',
  args: [
    {
      name: 'what',
      description: 'terraform, ansible, scenarios, or a path or folder such as terraform/modules/vm.',
      isOptional: true,
      values: ['terraform', 'ansible', 'scenarios'],
    },
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      kind: 'text',
      placeholder: '<folder>',
      description: `The folder to write into. ${formats.join(', ')}: the form of the list.`,
      isOpen: true,
    },
    { name: 'force', kind: 'switch', description: 'Overwrite files that differ from those of the server.' },
  ],
  async run({ io, args: [what], given }) {
    const session = openSession(io, given);
    try {
      const all = await filesOf(session.client);
      const files = what === undefined ? all : select(all, what);
      const output = last(given, 'output');
      if (output === undefined || formats.includes(output)) {
        await printerFor(io, given).table(['path', 'size'], ['sha256'], files);
        return exitCodes.done;
      }
      return await download(
        { io, client: session.client, from: PATH, folder: output, files },
        isOn(given, 'force'),
      );
    } finally {
      session.client.close();
    }
  },
};
