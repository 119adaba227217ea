/** ISOs of the sandbox. Only their size and their name are stored: no machine of the sandbox reads them. */
import { open } from 'node:fs/promises';
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { Drive, Iso } from '../iso.ts';
import { type ComputeCore, changePresent, missing, nameOf } from './core.ts';
import type { Machine, StoredIso } from './state.ts';
import type { ComputeStateStore } from './store.ts';

/** Where ISO 9660 has the name of the disc, in the primary volume descriptor. */
const TITLE = { at: 16 * 2048 + 40, bytes: 32 } as const;

async function read(file: string): Promise<Omit<StoredIso, 'at'>> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TITLE.bytes), 0, TITLE.bytes, TITLE.at);
    const title = buffer
      .subarray(0, bytesRead)
      .toString('latin1')
      .replaceAll(/[^ -~]/g, '')
      .trim();
    return { sizeBytes: (await handle.stat()).size, title };
  } finally {
    await handle.close();
  }
}

export async function ensureIso(
  core: ComputeCore,
  ref: Ref,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const content = await read(file);
  const pending = await core.store.transact(async (store) => {
    const present = await store.lock('iso', name);
    const now = await store.now();
    if (present !== null) return present.at - now;
    await store.insert('iso', name, { ...content, at: now + core.takes('iso') });
    return core.takes('iso');
  });
  await core.pause(pending, signal);
}

export async function observeIso({ store }: ComputeCore, ref: Ref): Promise<Iso | null> {
  const iso = await store.find('iso', nameOf(ref));
  return iso === null || iso.at > (await store.now()) ? null : { ...ref, sizeBytes: iso.sizeBytes };
}

export async function observeIsos({ store }: ComputeCore): Promise<Iso[]> {
  const found = await store.list('iso');
  if (found.length === 0) return [];
  const now = await store.now();
  return found
    .filter(({ state }) => state.at <= now)
    .map(({ project, id, state }) => ({ account: project, id, sizeBytes: state.sizeBytes }));
}

const holdersOf = (store: ComputeStateStore, { account, id }: Ref) =>
  store.containing('machine', account, { drive: { iso: id } });

export async function removeIso(core: ComputeCore, ref: Ref): Promise<void> {
  await core.store.transact(async (store) => {
    if ((await store.lock('iso', nameOf(ref))) === null) return;
    const [holder] = await holdersOf(store, ref);
    if (holder !== undefined)
      throw new EngineRefused('resource_in_use', `The ISO is in the drive of the machine ${holder.id}.`);
    await store.delete('iso', nameOf(ref));
  });
}

const isSame = (one: Drive | null, other: Drive | null): boolean =>
  one?.iso === other?.iso && one?.bootOnce === other?.bootOnce;

export const ensureDrive = (
  core: ComputeCore,
  ref: Ref,
  drive: Drive | null,
  signal: AbortSignal | undefined,
) =>
  changePresent(core, nameOf(ref), signal, async (store, machine, now) => {
    if (isSame(driveOf(machine), drive)) return null;
    return {
      ...machine,
      drive: drive === null ? null : { ...drive, title: await titleOf(core, store, ref.account, drive.iso) },
      busyUntil: now + core.takes('attach'),
    };
  });

/** Keeps an ISO of the account from being removed until the transaction ends. */
async function titleOf(
  core: ComputeCore,
  store: ComputeStateStore,
  project: string,
  id: string,
): Promise<string> {
  const listed = core.fixtures.isos().find(({ slug }) => slug === id);
  if (listed !== undefined) return listed.name;
  const name = { project, id };
  if (!(await store.hold('iso', name))) throw missing('ISO', id);
  return (await store.find('iso', name))?.title ?? '';
}

export const driveOf = ({ drive = null }: Pick<Machine, 'drive'>): Drive | null =>
  drive === null ? null : { iso: drive.iso, bootOnce: drive.bootOnce };
