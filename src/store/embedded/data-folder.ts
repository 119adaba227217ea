/**
 * Chooses where the embedded database is stored: `<data folder>/postgres`. The user that runs PostgreSQL owns
 * only the cluster and the socket folder; the folders above belong to the user of this process. If the
 * database's user cannot reach the data folder (a clone under a home of mode 0700, started by root), the
 * database is stored under /var/lib/hostplane and a small file in the data folder contains its path.
 * Hostplane never changes the modes of folders that it did not create.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
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
import { type Account, canEnter, chooseAccount, nameOf } from './account.ts';
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
/**
 * A socket path may have 107 bytes on Linux and 103 on macOS; the name of the socket takes up to 15 of them.
 */
const LONGEST_SOCKET_FOLDER = 103 - '/.s.PGSQL.65535'.length;

export async function settle(folder: string, farFolder = FAR_FOLDER): Promise<Place> {
  await makeFolder(folder, await chooseAccount(join(folder, 'postgres', 'cluster')));
  await refuseForeign(folder);
  const data = await realpath(folder);
  const home = (await readPointer(data)) ?? join(data, 'postgres');
  const account = await chooseAccount(join(home, 'cluster'));
  await makeFolder(home, account);
  await refuseForeign(home);
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
  await makeFolder(farFolder, account);
  await makeFolder(home, account);
  await writeFile(join(home, 'data-folder'), `${data}\n`);
  if (!canEnter(account, home)) {
    throw new EmbeddedFault(
      `PostgreSQL runs as ${account.name}, who can enter neither ${data} nor ${farFolder}. ` +
        'Choose a folder that user can reach with HOSTPLANE_DATA.',
    );
  }
  const draft = join(data, `${POINTER}.${basename(home)}`);
  await writeFile(draft, `${home}\n`);
  // `link` fails if the name exists, so of two concurrent first starts one decides and the other follows.
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
    `${pointer} says that the database is in ${home}, which does not exist. ` +
      'Bring that folder back, or remove the file to start with an empty database.',
  );
}

/**
 * Creates a folder above the cluster, which is closed to others. Another user that runs the database may pass through
 * it, by the group of the folder, but not list or change it. It is open until it has that group, because another
 * process may start at the same time and must find that the database's user can enter.
 */
async function makeFolder(folder: string, account: Account | undefined): Promise<void> {
  try {
    const made = await mkdir(folder, { recursive: true, mode: account ? 0o711 : 0o700 });
    if (made === undefined) return;
    if (account === undefined) return await chmod(folder, 0o700);
    await chmod(folder, 0o711);
    await chown(folder, process.getuid?.() ?? 0, account.gid);
    await chmod(folder, 0o710);
  } catch (error) {
    throw new EmbeddedFault(
      `Cannot create the folder ${folder} (${errorCode(error)}). Choose another one with HOSTPLANE_DATA.`,
      { cause: error },
    );
  }
}

/** A folder that root or another user made is closed to this one: its database belongs to them. */
async function refuseForeign(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  const isOpen = await access(folder, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isOpen || uid === process.getuid?.()) return;
  throw new EmbeddedFault(
    `The folder ${folder} belongs to ${await nameOf(uid)}. ` +
      'Start Hostplane as that user or as root, or choose another folder with HOSTPLANE_DATA.',
  );
}

/**
 * Creates a folder that only the database's user can enter. In a shared parent folder another user may
 * already have created the name, so the owner and the mode are checked.
 */
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
