/**
 * Brings the names of addresses to the nameservers: what calls could not bring there, what addresses lost that have left
 * their account, and what somebody changed at a nameserver.
 */
import type { ReverseDns, SeenPtr } from '../../../engines/dns/port.ts';
import { EngineRefused } from '../../../engines/errors.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { inPages } from '../../../engines/reconciler/pages.ts';
import { whileClaimed } from '../../../kernel/claims/while-claimed.ts';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, cidrContains, parseCidr } from '../../../kernel/net/cidr.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { confirm, nextLookUp } from './forward.ts';
import { wantedName } from './present.ts';
import { recordIdOf } from './record-id.ts';
import { failedEvent } from './resource.ts';
import {
  deleteRecord,
  dueRecords,
  markLost,
  noteForward,
  noteStrangers,
  noteSync,
  readRecord,
  recordsAt,
  recordsToLookUp,
} from './store.ts';
import { type Outcome, syncStateAfter, tell } from './sync.ts';
import type { ReverseRecordRow } from './table.ts';

/** The maximum per location and run; the next run takes the others. */
const AT_ONCE = 500;
/** So long a record waits whose nameserver did not answer, so that others have their turn. */
const PAUSE_MS = 10_000;
/** A large zone takes longer than a record. */
const ZONE_MS = 120_000;
const LOOK_UP_MS = 3_000;
const LOOK_UPS_AT_ONCE = 10;

async function noteOutcome(services: Services, row: ReverseRecordRow, outcome: Outcome): Promise<void> {
  const { db, registry } = services;
  const state = syncStateAfter(outcome, new Date());
  const isNews = state.sync_status === 'failed' && row.sync_status !== 'failed';
  await transact(db, async (tx) => {
    if (outcome === 'synced' && wantedName(services, row) === null) return deleteRecord(tx, row);
    const isNoted = await noteSync(tx, row, state);
    if (!isNoted || !isNews || row.account_id === null) return;
    const event = failedEvent(row, wantedName(services, row));
    await writeEvents(tx, registry, { accountId: row.account_id, actor: HOSTPLANE }, [event]);
  });
  if (!isNews) return;
  services.metrics.alarms.inc({ alarm: 'reverse_record_failed' });
  services.log.warn(
    { resource: row.id, address: row.address, reason: state.sync_error },
    'the nameserver refused the name of an address; ask `hostplane admin doctor`',
  );
}

async function bringOut(services: Services, engine: ReverseDns, id: string): Promise<void> {
  await whileClaimed(services, id, async () => {
    const row = await readRecord(services.db, id);
    if (row === undefined || row.sync_status === 'synced') return;
    const { address, ttl_seconds: ttlSeconds } = row;
    try {
      await tell(engine, { address, hostname: wantedName(services, row), ttlSeconds }, patience());
    } catch (error) {
      if (error instanceof EngineRefused) return noteOutcome(services, row, { refused: error.message });
      const dueAt = new Date(Date.now() + PAUSE_MS);
      await transact(services.db, (tx) =>
        noteSync(tx, row, { sync_status: row.sync_status, sync_error: row.sync_error, due_at: dueAt }),
      );
      throw error;
    }
    await noteOutcome(services, row, 'synced');
  });
}

export const names: Schedule = {
  name: 'ip-management.names',
  everySeconds: 10,
  run: (services) =>
    eachEngine(services, services.dns, async (engine) => {
      const attempts = new Attempts(services);
      for (const { id } of await dueRecords(services.db, engine.location, AT_ONCE))
        await attempts.make(id, () => bringOut(services, engine, id));
    }),
};

const isAsWanted = (services: Services, row: ReverseRecordRow, seen: SeenPtr | undefined): boolean => {
  const wanted = wantedName(services, row);
  if (wanted === null || seen === undefined) return wanted === null && seen === undefined;
  return seen.hostnames.length === 1 && seen.hostnames[0] === wanted && seen.ttlSeconds === row.ttl_seconds;
};

/** The ranges of the location that are sold. */
const rangesAt = ({ provider }: Services, location: string): Cidr[] =>
  provider.catalogue.address_pools.flatMap((pool) =>
    pool.location === location ? (parseCidr(pool.cidr)?.cidr ?? []) : [],
  );

async function observe(engine: ReverseDns, ranges: readonly Cidr[]): Promise<Map<string, SeenPtr>> {
  const seen = new Map<string, SeenPtr>();
  for (const { text } of ranges)
    for (const ptr of await engine.observePtrs(text, AbortSignal.timeout(ZONE_MS)))
      seen.set(ptr.address, ptr);
  return seen;
}

/** Only notes what differs: `names` corrects it, one address after the other and never beside a call. */
async function compare(services: Services, engine: ReverseDns): Promise<void> {
  const { db } = services;
  const ranges = rangesAt(services, engine.location);
  const seen = await observe(engine, ranges);
  const strangers = new Map(seen);
  const pages = inPages((afterId, limit) => recordsAt(db, engine.location, afterId, limit));
  for await (const rows of pages) {
    const lost = rows.filter((row) => {
      const address = parseAddress(row.address);
      if (address === null || !ranges.some((range) => cidrContains(range, address))) return false;
      strangers.delete(address.text);
      return !isAsWanted(services, row, seen.get(address.text));
    });
    await markLost(db, lost);
  }
  const unknown = [...strangers.keys()].flatMap((text) => {
    const address = parseAddress(text);
    return address === null ? [] : [{ id: recordIdOf(address), address: text }];
  });
  for (let from = 0; from < unknown.length; from += AT_ONCE)
    await noteStrangers(db, engine.location, unknown.slice(from, from + AT_ONCE));
}

export const nameDrift: Schedule = {
  name: 'ip-management.name-drift',
  everySeconds: 600,
  run: (services) => eachEngine(services, services.dns, (engine) => compare(services, engine)),
};

async function lookUpAgain(services: Services, engine: ReverseDns, row: ReverseRecordRow): Promise<void> {
  const { hostname, address, forward_checks } = row;
  const now = new Date();
  const found = hostname === null ? 'unknown' : await confirm(engine, { address, hostname }, LOOK_UP_MS);
  const checks = forward_checks + 1;
  await noteForward(services.db, row, {
    // Without an answer, the last one stays.
    ...(found === 'unknown'
      ? { forward_confirmed: row.forward_confirmed, forward_checked_at: row.forward_checked_at }
      : { forward_confirmed: found, forward_checked_at: now }),
    forward_due_at: nextLookUp(checks, now),
    forward_checks: checks,
  });
}

export const forwardChecks: Schedule = {
  name: 'ip-management.forward-checks',
  everySeconds: 60,
  run: (services) =>
    eachEngine(services, services.dns, async (engine) => {
      const rows = await recordsToLookUp(services.db, engine.location, AT_ONCE);
      for (let from = 0; from < rows.length; from += LOOK_UPS_AT_ONCE)
        await Promise.all(
          rows.slice(from, from + LOOK_UPS_AT_ONCE).map((row) => lookUpAgain(services, engine, row)),
        );
    }),
};
