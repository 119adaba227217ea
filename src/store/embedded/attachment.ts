/**
 * Connects this process to the database of a place: to the PostgreSQL that runs there, or else to one that it
 * starts. Other processes may start or stop the same database at the same moment, so each round reads the
 * current state again instead of waiting for a fixed time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import type { Place } from './data-folder.ts';
import { EmbeddedFault } from './fault.ts';
import { isPostmaster, type Launch, launch, type Postmaster, readPidFile } from './postmaster.ts';
import { type Entry, enter, type Session } from './session.ts';

export interface Attachment {
  readonly session: Session;
  readonly postmaster: Postmaster;
  readonly adopted: boolean;
}

/** Long, because PostgreSQL may have to replay its log after a power loss. */
const PATIENCE = 120_000;
const ROUND = 20;
const ROUND_AFTER_FAILURE = 200;
/**
 * A start can fail without a real fault, when another process starts or stops the database at the same
 * moment.
 */
const LAUNCHES = 3;
/**
 * Errors that pass: a killed server has not fully ended yet, or another process started the database first.
 */
const PASSING = /pre-existing shared memory block|lock file ".*" already exists/;

export async function attach(
  place: Place,
  settings: Record<string, string>,
  signal?: AbortSignal,
): Promise<Attachment> {
  const launches: Launch[] = [];
  let failures = 0;
  let reason = '';
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await sleep(ROUND)) {
    const postmaster = await readPidFile(place.cluster);
    const entry: Entry = postmaster ? await enter(postmaster) : { kind: 'absent' };
    if (postmaster && entry.kind === 'entered') {
      const adopted = !launches.some(({ child }) => child.pid === postmaster.pid);
      return { session: entry.session, postmaster, adopted };
    }
    const launched = launches.at(-1);
    if (launches.length === 0) signal?.throwIfAborted();
    if (entry.kind === 'busy') {
      reason = entry.reason;
      continue;
    }
    if (launched && !launched.failure()) {
      reason = 'it was started and does not listen yet';
      continue;
    }
    if (postmaster && (await isPostmaster(postmaster.pid, place.cluster))) {
      reason = `process ${postmaster.pid} runs but does not listen in ${postmaster.socketFolder}`;
      continue;
    }
    if (launched) {
      reason = await launched.readLog();
      if (!PASSING.test(reason)) failures += 1;
      if (failures === LAUNCHES) throw explain(place, launched, reason);
      await sleep(ROUND_AFTER_FAILURE);
    }
    const bin = await prepareBinaries(place);
    await ensureCluster(place, bin);
    launches.push(await launch(place, bin, settings));
  }
  throw new EmbeddedFault(
    `The database in ${place.cluster} did not get ready in ${PATIENCE / 1000} seconds: ${reason}. ` +
      `See ${place.log}; if it is stuck, stop its processes and start again.`,
  );
}

function explain(place: Place, { failure }: Launch, log: string): EmbeddedFault {
  const cause = failure();
  return new EmbeddedFault(
    `The database in ${place.cluster} does not start: ${cause?.message}. The end of its log, ${place.log}:\n${log}`,
    { cause },
  );
}
