/** A backup whose archive is larger than the buffers of a connection, so that its download goes on until it is read. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { storeArchive } from '../families/flexible-vps/backups/archive.ts';
import type { Backup } from '../families/flexible-vps/backups/schema.ts';
import { readBackup } from '../families/flexible-vps/backups/store.ts';
import { settle } from './operations.ts';
import type { VpsAccount } from './vps.ts';

const LARGE = 24 * 1024 * 1024;

/** Returns the id of a new backup of a new machine, with an archive of this size. */
export async function makeLargeBackup(owner: VpsAccount, bytes = LARGE): Promise<string> {
  const { app } = owner;
  const { db } = app.services;
  const vm = await owner.vm();
  const { id } = (await owner.send('POST', 'backups', { vm_id: vm.id })).json<Backup>();
  const row = (await readBackup(db, id))!;
  await settle(app);
  const content = (async function* () {
    yield randomBytes(bytes);
  })();
  const archive = await storeArchive(db, app.services, row, content, new AbortController().signal);
  await db.updateTable('vm_backups').set(archive).where('id', '=', id).execute();
  return id;
}

/** The path and query of a download link. */
export function pathOf({ url }: { readonly url: string }): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns when the answer begins, and reads nothing of its body. */
export async function openDownload(port: number, path: string): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port, path, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // The server may cut the connection before the test reads on.
  response.on('error', () => undefined);
  return response;
}

/** Reads the rest of the body: `cut off` if the server closed the connection before its end. */
export function endOfDownload(response: IncomingMessage): Promise<string> {
  response.resume();
  return finished(response).then(
    () => 'whole',
    () => 'cut off',
  );
}
