/**
 * Where the embedded database lives: `<data folder>/postgres`. The user PostgreSQL runs as owns the cluster
 * and the socket folder only; everything above them stays ours. If that user cannot reach the data folder
 * (a clone under a home of mode 0700, started by root), the database lives under /var/lib/hostplane and a small
 * file in the data folder says where: modes of folders we did not make are never changed.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Account, canEnter, chooseAccount, isRoot } from './account.ts';
import { EmbeddedFault, errorCode } from './fault.ts';

export interface Place {
  readonly home: string;
  readonly cluster: string;
  readonly socketFolder: string;
  readonly log: string;
  readonly account: Account | undefined;
}

const POINTER = 'postgres.location';
const FAR_FOLDER = '/var/lib/hostplane';
/** 107 bytes on Linux and 103 on macOS for the whole path; the name of the socket takes up to 15 of them. */
const LONGEST_SOCKET_FOLDER = 103 - '/.s.PGSQL.65535'.length;

export async function settle(folder: string, farFolder = FAR_FOLDER): Promise<Place> {
  await makeFolder(folder);
  const data = await realpath(folder);
  const home = (await readPointer(data)) ?? join(data, 'postgres');
  const account = await chooseAccount(join(home, 'cluster'));
  await makeFolder(home);
  if (canEnter(account, home)) return furnish(home, account);
  if (account && !(await exists(join(home, 'cluster'))))
    return furnish(await moveFar(data, farFolder, account), account);
  throw new EmbeddedFault(
    `The database is in ${home}, and ${account ? `the user it runs as, ${account.name},` : 'this user'} cannot ` +
      'enter that folder. Correct the modes of the folders above it, or choose another one with HOSTPLANE_DATA.',
  );
}

function furnish(home: string, account: Account | undefined): Place {
  const near = join(home, 'socket');
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const socketFolder =
    Buffer.byteLength(near) <= LONGEST_SOCKET_FOLDER ? near : join(tmpdir(), `hostplane-${digest}`);
  return { home, cluster: join(home, 'cluster'), socketFolder, log: join(home, 'postgres.log'), account };
}

async function moveFar(data: string, farFolder: string, account: Account): Promise<string> {
  const home = join(farFolder, randomBytes(4).toString('hex'));
  await makeFolder(farFolder);
  await makeFolder(home);
  await writeFile(join(home, 'data-folder'), `${data}\n`);
  if (!canEnter(account, home)) {
    throw new EmbeddedFault(
      `PostgreSQL runs as ${account.name}, who can enter neither ${data} nor ${farFolder}. ` +
        'Choose a folder that user can reach with HOSTPLANE_DATA.',
    );
  }
  const draft = join(data, `${POINTER}.${basename(home)}`);
  await writeFile(draft, `${home}\n`);
  // A link fails if the name is taken, so of two first starts one decides and the other follows.
  const lost = await link(draft, join(data, POINTER)).then(
    () => false,
    (error) => {
      if (errorCode(error) === 'EEXIST') return true;
      throw error;
    },
  );
  await rm(draft);
  if (lost) await rm(home, { recursive: true });
  await rmdir(join(data, 'postgres')).catch(() => undefined);
  return (await readPointer(data)) ?? home;
}

async function readPointer(data: string): Promise<string | undefined> {
  const pointer = join(data, POINTER);
  const text = await readFile(pointer, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const home = text.trim();
  if (await exists(home)) return home;
  throw new EmbeddedFault(
    `${pointer} says that the database is in ${home}, which is not there. ` +
      'Bring that folder back, or remove the file to begin with an empty database.',
  );
}

/** Folders on the way to the cluster may be passed by the database's user, but not listed. */
async function makeFolder(folder: string): Promise<void> {
  const mode = isRoot() ? 0o711 : 0o700;
  try {
    const made = await mkdir(folder, { recursive: true, mode });
    if (made !== undefined) await chmod(folder, mode);
  } catch (error) {
    throw new EmbeddedFault(
      `Cannot make the folder ${folder} (${errorCode(error)}). Choose another one with HOSTPLANE_DATA.`,
      { cause: error },
    );
  }
}

/** A folder that only the database's user can enter; in a shared parent somebody may have taken its name. */
export async function makePrivateFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  const isSafe = found.isDirectory() && (found.mode & 0o077) === 0;
  if (isSafe && found.uid === (account?.uid ?? process.getuid?.())) return;
  if (isSafe && account && found.uid === process.getuid?.()) return chown(folder, account.uid, account.gid);
  throw new EmbeddedFault(
    `${folder} must be a folder of mode 0700 that belongs to ${account?.name ?? 'this user'}, and it is not. ` +
      'Remove it, or correct its owner and mode.',
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
