/**
 * Moves a volume to another member of a cluster. The engine can do that by itself, but it would not say how far it came
 * if it dies on the way. So the driver makes a copy, and the original says what the copy is worth:
 *
 * 1. The original names the copy that is being made (`keys.copy`). Whoever finds it writes another name, or none, and
 *    from then on the attempt before cannot succeed.
 * 2. The copy is made. It has no mark, so it counts for nothing.
 * 3. The original names the copy as its successor (`keys.successor`), if it still names it as its copy. From here on
 *    the copy is the volume.
 * 4. The copy gets its mark, and the original is removed.
 *
 * Every call that changes a volume first finishes or undoes what it finds: it drops a copy that is no successor, and
 * goes on with step 4 otherwise.
 */
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import type { Ref, Size } from '../instance.ts';
import { keys } from './config-keys.ts';
import { missing, type Site } from './driver-context.ts';
import { IncusError, isPassing } from './failure.ts';
import { readHostTotals } from './hosts.ts';
import { copyNameOf, currentOf, isMade, MADE, memberOf, type Place, type RawVolume } from './raw-volume.ts';
import { outwaitVolumes } from './running-operations.ts';
import {
  changeVolume,
  changeVolumeAt,
  destroyVolume,
  findCopies,
  findOnly,
  holderOf,
  isClustered,
  onlyPlaceOf,
  sizeGbOf,
} from './volume-context.ts';
import { transferVolume } from './volume-transfer.ts';

export const volumeSize = (diskGb: number): Size => ({ vcpus: 0, memoryMb: 0, diskGb });

/** The entry of the ledger that holds the room of a copy while it is being made. */
const copyEntry = ({ account, id }: Ref): Ref => ({ account, id: `${id}.copy` });

function without(config: RawVolume['config'], ...names: readonly string[]): RawVolume['config'] {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)));
}

/** Removes what is not the volume. A copy that never became the volume may wait until its server is back. */
async function clear(
  site: Site,
  ref: Ref,
  others: readonly RawVolume[],
  signal: AbortSignal | undefined,
): Promise<void> {
  await outwaitVolumes(site, ref, signal);
  for (const other of others)
    await destroyVolume(site, ref, other, signal).catch((error: unknown) => {
      if (isMade(other) || !isPassing(error)) throw error;
    });
}

/** Finishes or undoes a move that was interrupted. Returns the volume, also if its creation was interrupted. */
async function settle(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  const copies = await findCopies(site, ref, signal);
  const current = currentOf(copies);
  if (current === null) return copies[0] ?? null;
  const isRest = (raw: RawVolume): boolean => !isMade(raw) || raw.config[keys.successor] !== undefined;
  const others = copies.filter((raw) => raw.name !== current.name && isRest(raw));
  const isClaimed = current.config[keys.copy] !== undefined;
  if (others.length > 0 || isClaimed) {
    if (!(await endMove(site, ref, current, signal))) return settle(site, ref, signal);
    const host = memberOf(current);
    if (host !== undefined) await site.ledger.note({ ...ref, host, size: volumeSize(sizeGbOf(current)) });
  }
  // Before the rest is removed: after that, nothing says that there was a move.
  await site.ledger.release(copyEntry(ref));
  if (others.length > 0) await clear(site, ref, others, signal);
  return { ...current, config: without(current.config, keys.copy) };
}

/** Marks the volume as made, and forgets the copy that was being made of it. Returns false if it has moved since. */
async function endMove(site: Site, ref: Ref, current: Place, signal?: AbortSignal): Promise<boolean> {
  let hasMoved = false;
  await changeVolumeAt(
    site,
    ref,
    current,
    (raw) => {
      hasMoved = raw.config[keys.successor] !== undefined;
      if (hasMoved || (isMade(raw) && raw.config[keys.copy] === undefined)) return null;
      return { config: { ...without(raw.config, keys.copy), ...MADE } };
    },
    signal,
  );
  return !hasMoved;
}

/** Finds the volume, also if its creation was interrupted. On a cluster it is in one place then, and does not move. */
export async function findSettled(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  return (await isClustered(site, signal)) ? settle(site, ref, signal) : findOnly(site, ref, signal);
}

/** Where the volume is, without a request if there is only one server. Null if there is no such volume. */
export async function settledPlace(site: Site, ref: Ref, signal?: AbortSignal): Promise<Place | null> {
  return (await isClustered(site, signal)) ? settle(site, ref, signal) : onlyPlaceOf(ref);
}

export async function requireSettled(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume> {
  const raw = await findSettled(site, ref, signal);
  if (raw === null || !isMade(raw)) throw missing('volume', ref.id);
  return raw;
}

/** Gives back the room of a volume, and that of a copy that was being made of it. */
export async function releaseRoom(site: Site, ref: Ref): Promise<void> {
  await site.ledger.release(copyEntry(ref));
  await site.ledger.release(ref);
}

async function reserveCopy(site: Site, ref: Ref, raw: RawVolume, member: string): Promise<void> {
  const totals = (await readHostTotals(site)).filter(({ name }) => name === member);
  if (totals.length === 0) throw new EngineUnreachable('The server of the machine does not answer.');
  const choice = await site.ledger.reserve(copyEntry(ref), volumeSize(sizeGbOf(raw)), null, totals);
  if ('host' in choice) return;
  const detail =
    'The server of the machine has no room for the volume. Attach it to another machine, or create a machine with it.';
  throw new EngineRefused('capacity_unavailable', detail);
}

/** The engine's own settings and those that belong to one copy are not taken along. */
const configOfCopy = ({ config }: RawVolume): RawVolume['config'] =>
  Object.fromEntries(
    Object.entries(without(config, keys.volume, keys.copy, keys.successor)).filter(
      ([name]) => !name.startsWith('volatile.'),
    ),
  );

/** The volume must be settled, and no machine may have it. Returns it as it is on the other member. */
export async function moveVolume(
  site: Site,
  ref: Ref,
  raw: RawVolume,
  member: string,
  signal?: AbortSignal,
): Promise<RawVolume> {
  await reserveCopy(site, ref, raw, member);
  const copy = { name: copyNameOf(ref.id), location: member };
  const claim: RawVolume['config'] = { [keys.copy]: copy.name };
  await changeVolume(site, ref, raw, ({ config }) => ({ config: { ...config, ...claim } }), signal);
  try {
    const body = {
      name: copy.name,
      type: 'custom',
      content_type: raw.content_type,
      config: configOfCopy(raw),
    };
    await transferVolume(site, ref, raw, { body, member }, signal);
    await promote(site, ref, raw, copy, signal);
  } catch (error) {
    // The engine refused, so nothing is under way. Without an answer, the next attempt finds out.
    if (error instanceof EngineRefused || (error instanceof IncusError && !isPassing(error)))
      await settle(site, ref, signal);
    throw error;
  }
  const moved = await settle(site, ref, signal);
  if (moved === null) throw missing('volume', ref.id);
  return moved;
}

async function promote(
  site: Site,
  ref: Ref,
  original: Place,
  copy: Place,
  signal?: AbortSignal,
): Promise<void> {
  let isUnwanted = false;
  await changeVolume(
    site,
    ref,
    original,
    (raw) => {
      isUnwanted = raw.config[keys.copy] !== copy.name;
      if (isUnwanted) return null;
      const holder = holderOf(raw);
      if (holder !== null)
        throw new EngineRefused('already_attached', `The machine ${holder} has the volume.`);
      return { config: { ...without(raw.config, keys.copy), [keys.successor]: copy.name } };
    },
    signal,
  );
  if (!isUnwanted) return;
  await destroyVolume(site, ref, copy, signal);
  throw new EngineUnreachable('Something else happened to the volume while it was being moved.');
}
