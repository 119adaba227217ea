/** Writes files of the server into a folder: only below it, each as a whole, and never over changes of a person. */
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { replaceFile } from '../contexts/private-file.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import type { Client } from '../http/client.ts';
import type { Io } from '../io.ts';

export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Download {
  readonly io: Io;
  readonly client: Client;
  /** The path at the server below which the files are. */
  readonly from: string;
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

const MOST_NAMED = 10;

/** Names that mean the same on every system: no `..`, no drive, no backslash, nothing that a terminal obeys. */
const isPlain = (path: string): boolean =>
  path.split('/').every((part) => /^[\w@+.-][\w@+. -]*$/.test(part) && !/^\.+$/.test(part));

type State = 'same' | 'different' | 'missing';

export async function download(
  { io, client, from, folder, files }: Download,
  isForced: boolean,
): Promise<ExitCode> {
  const odd = files.find(({ path }) => !isPlain(path));
  if (odd !== undefined)
    throw new Failure(
      `The server names a file ${JSON.stringify(odd.path)}, which could leave the folder. Nothing was written. Tell your provider.`,
      exitCodes.failed,
    );
  const { createHash } = await import('node:crypto');
  const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const stateOf = ({ path, sha256 }: FileEntry): State => {
    const bytes = readIfThere(join(folder, path));
    return bytes === null ? 'missing' : hash(bytes) === sha256 ? 'same' : 'different';
  };
  const states = new Map(files.map((file) => [file, stateOf(file)]));
  const inState = (state: State): FileEntry[] => files.filter((file) => states.get(file) === state);
  const different = inState('different');
  if (different.length > 0 && !isForced) throw wouldOverwrite(folder, different);
  const wanted = [...different, ...inState('missing')];
  for (const { path, sha256 } of wanted) {
    const target = join(folder, path);
    const url = `${from}${path.split('/').map(encodeURIComponent).join('/')}`;
    const { bytes } = await client.call({ method: 'GET', path: url, signal: io.interrupted });
    if (hash(bytes) !== sha256)
      throw new Failure(
        `${path} is not the file that the server listed: it changed meanwhile, or was damaged on the way. It was not written. Run the command again.`,
        exitCodes.failed,
      );
    write(folder, target, bytes);
  }
  const same = inState('same').length;
  io.err(
    `Wrote ${count(wanted.length)} into ${folder}${same > 0 ? `; ${count(same)} ${same === 1 ? 'was' : 'were'} there already` : ''}.\n${nextStep(folder, files)}`,
  );
  return exitCodes.done;
}

const count = (files: number): string => `${files} ${files === 1 ? 'file' : 'files'}`;

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw misuse(`${path} is in the way (${message}). Choose another folder.`);
  }
}

/** Makes the folders of the file, unless a link among them leads out of the folder. */
function makeFolders(folder: string, target: string): void {
  mkdirSync(folder, { recursive: true });
  let place = dirname(target);
  while (!existsSync(place)) place = dirname(place);
  const root = realpathSync(folder);
  const real = realpathSync(place);
  if (real !== root && !real.startsWith(`${root}${sep}`.replace(/\/+$/, sep)))
    throw misuse(`${place} is a link that leaves ${folder}. Remove the link, or choose another folder.`);
  mkdirSync(dirname(target), { recursive: true });
}

function write(folder: string, target: string, bytes: Buffer): void {
  try {
    makeFolders(folder, target);
    replaceFile(target, bytes, 0o644);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `${target} cannot be written (${(error as Error).message}). Make room for it, then run the command again.`,
      exitCodes.failed,
    );
  }
}

function wouldOverwrite(folder: string, different: readonly FileEntry[]): Failure {
  const named = different.slice(0, MOST_NAMED).map(({ path }) => `  ${join(folder, path)}`);
  const more = different.length - named.length;
  return new Failure(
    [
      `${different.length === 1 ? 'One file differs' : `${different.length} files differ`} from what the server has. Nothing was written.`,
      ...named,
      ...(more > 0 ? [`  and ${more} more`] : []),
      'To overwrite them, add --force. To compare, choose another folder.',
    ].join('\n'),
    exitCodes.conflict,
  );
}

/** The README nearest to the top says how the files are used; if there is one for each of two tools, both are named. */
function nextStep(folder: string, files: readonly FileEntry[]): string {
  const readmes = files.map(({ path }) => path).filter((path) => /(^|\/)README\.md$/.test(path));
  const depth = (path: string): number => path.split('/').length;
  const top = Math.min(...readmes.map(depth));
  const nearest = readmes.filter((path) => depth(path) === top).sort();
  const named = (nearest.length > 2 ? nearest.slice(0, 1) : nearest).map((path) => join(folder, path));
  const reading = named.length === 0 ? '' : `Next: read ${named.join(' or ')}. `;
  return `${reading}The files contain no key: they take it from the environment.\n`;
}
