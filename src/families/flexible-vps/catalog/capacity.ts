/**
 * Caches the free capacity of each location for 10 seconds. Lists of plans and locations wait at most 250 ms for an
 * engine and then use the previous value, because a slow engine must not delay a price list.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ComputeEngine, HostCapacity, Size } from '../../../engines/compute/port.ts';
import { askEngine } from '../../../engines/engine-call.ts';

const KEPT_MS = 10_000;
const PATIENCE_MS = 250;

/** `null`: the engine has not answered, or the location has no engine. */
export type Capacity = readonly HostCapacity[] | null;

interface Reading {
  readonly at: number;
  readonly capacity: Promise<Capacity>;
  /** The previous value, until the engine answers. */
  last: Capacity;
}

const readings = new WeakMap<ComputeEngine, Reading>();

function begin(engine: ComputeEngine, last: Capacity): Reading {
  const asked = askEngine(engine, (each, signal) => each.readCapacity(signal)).catch(() => null);
  const reading: Reading = { at: performance.now(), capacity: asked, last };
  void asked.then((capacity) => {
    reading.last = capacity;
  });
  readings.set(engine, reading);
  return reading;
}

export async function capacityOf(engine: ComputeEngine | undefined): Promise<Capacity> {
  if (engine === undefined) return null;
  const known = readings.get(engine);
  const isFresh = known !== undefined && performance.now() - known.at < KEPT_MS;
  const reading = isFresh ? known : begin(engine, known?.last ?? null);
  const enough = new AbortController();
  const impatience = wait(PATIENCE_MS, undefined, { signal: enough.signal, ref: false }).then(
    () => reading.last,
    () => null,
  );
  const capacity = await Promise.race([reading.capacity, impatience]);
  enough.abort();
  return capacity;
}

/** Returns true if the capacity is unknown: the call that creates the machine then finds out. */
export function hasRoom(capacity: Capacity, { vcpus, memoryMb, diskGb }: Size): boolean {
  if (capacity === null) return true;
  return capacity.some(
    ({ free }) => free.vcpus >= vcpus && free.memoryMb >= memoryMb && free.diskGb >= diskGb,
  );
}
