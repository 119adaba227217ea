/**
 * Chooses the system user that runs the embedded PostgreSQL, because PostgreSQL refuses to run as root.
 * Started by root, the database runs as the user that already owns the cluster, else as `postgres`, else as
 * `nobody`. Started by any other user, it runs as that user.
 */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { EmbeddedFault } from './fault.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns undefined if PostgreSQL runs as the user of this process. */
export async function chooseAccount(cluster: string): Promise<Account | undefined> {
  const owner = await stat(cluster).catch(() => undefined);
  if (!isRoot()) {
    if (owner && owner.uid !== process.getuid?.()) {
      throw new EmbeddedFault(
        `The database in ${cluster} belongs to ${await nameOf(owner.uid)}. ` +
          'Start Hostplane as that user or as root, or choose another folder with HOSTPLANE_DATA.',
      );
    }
    return undefined;
  }
  if (owner?.uid === 0) {
    throw new EmbeddedFault(
      `The database in ${cluster} belongs to root, and PostgreSQL refuses to run as root. ` +
        `Give it to another user: chown -R ${(await unprivileged()).name}: ${cluster}`,
    );
  }
  if (owner) return { name: await nameOf(owner.uid), uid: owner.uid, gid: owner.gid };
  return unprivileged();
}

export function runAs(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

/** Tries to enter the folder as that user, because mode bits alone do not include access lists and mounts. */
export function canEnter(account: Account | undefined, folder: string): boolean {
  const options: SpawnSyncOptions = { ...runAs(account), cwd: '/', stdio: 'ignore' };
  return spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], options).status === 0;
}

async function unprivileged(): Promise<Account> {
  const users = await readUsers();
  const found =
    users.find((user) => user.name === 'postgres') ?? users.find((user) => user.name === 'nobody');
  if (found) return found;
  throw new EmbeddedFault(
    'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody". ' +
      'Start Hostplane as an ordinary user, or name a PostgreSQL server of your own.',
  );
}

export async function nameOf(uid: number): Promise<string> {
  const users = await readUsers();
  return users.find((user) => user.uid === uid)?.name ?? `uid ${uid}`;
}

async function readUsers(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
