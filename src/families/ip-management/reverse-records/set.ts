import type { ReverseDns } from '../../../engines/dns/port.ts';
import { askEngine } from '../../../engines/engine-call.ts';
import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call, Preparation } from '../../../kernel/call.ts';
import { lockDeclarations } from '../../../kernel/named/store.ts';
import type { Address } from '../../../kernel/net/address.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, ok } from '../../../kernel/record.ts';
import type { Services } from '../../../kernel/services.ts';
import { requireRoom, requireRoomIn } from '../../../resources/limits/require-room.ts';
import { confirm, type Forward, NOT_LOOKED_UP, nextLookUp } from './forward.ts';
import { canonicalName, hostnameFaults } from './hostname.ts';
import { recordEtag, recordView, wantedName } from './present.ts';
import { addressNamed, recordIdOf } from './record-id.ts';
import { failedEvent, recordRef, reverseRecordResource, updatedEvent } from './resource.ts';
import { DEFAULT_TTL, exampleRecord, RecordParams, ReverseRecord, SetReverseRecord } from './schema.ts';
import {
  countInPrefix,
  deleteRecord,
  findHolding,
  type Holding,
  isOfHost,
  lockHolding,
  lockRecord,
  noteSync,
  writeRecord,
} from './store.ts';
import { type Outcome, outcomeOf, syncStateAfter, tell, type Wish } from './sync.ts';
import type { ReverseRecordRow } from './table.ts';

type SetCall = Call<{ readonly id: string }, unknown, SetReverseRecord>;

/** A nameserver or resolver that is slower does not keep the call waiting. */
const LOOK_UP_MS = 1_500;
const TELL_MS = 2_000;
const CLAIM_MS = 500;

interface Prepared {
  readonly forward: Forward;
  /** What the nameserver said; null before it was told. */
  outcome: Outcome | null;
}

function engineFor({ dns }: Pick<Services, 'dns'>, location: string): ReverseDns {
  const engine = dns.at(location);
  if (engine !== undefined) return engine;
  const detail = `The provider offers no reverse DNS in ${location}.`;
  throw new Problem('capability_missing', { detail, extra: { capability: 'reverse_dns' } });
}

async function lookUpNow({
  params,
  body,
  caller,
  services,
  db,
  now,
}: Preparation<SetCall['params'], unknown, SetReverseRecord>): Promise<Forward> {
  const address = addressNamed(params.id);
  if (address === null || body.hostname === null) return NOT_LOOKED_UP;
  if (hostnameFaults(body.hostname, services.provider).length > 0) return NOT_LOOKED_UP;
  const holding = await findHolding(db, caller.account.id, address.text);
  const engine = holding && services.dns.at(holding.location);
  if (engine === undefined) return NOT_LOOKED_UP;
  const hostname = canonicalName(body.hostname);
  const found = await confirm(engine, { address: address.text, hostname }, LOOK_UP_MS);
  return {
    forward_confirmed: found,
    forward_checked_at: found === 'unknown' ? null : now,
    forward_due_at: nextLookUp(0, now),
  };
}

/** Throws 404 unless the account holds the address. */
async function take({ db, caller, params }: SetCall): Promise<{ address: Address; holding: Holding }> {
  const address = addressNamed(params.id);
  const holding = address && (await lockHolding(db, caller.account.id, address.text));
  if (address === null || holding == null || !isOfHost(holding, address)) throw new Problem('not_found');
  return { address, holding };
}

/** The record of an address that has none: an IPv6 address without a name. */
const absent = ({ caller }: SetCall, { address, holding }: Awaited<ReturnType<typeof take>>) => ({
  id: recordIdOf(address),
  account_id: caller.account.id,
  address_id: holding.id,
  address: address.text,
  location: holding.location,
  hostname: null,
  ttl_seconds: DEFAULT_TTL,
  sync_status: 'synced' as const,
  sync_error: null,
  due_at: null,
  ...NOT_LOOKED_UP,
  forward_checks: 0,
  version: 0,
  created_at: holding.created_at,
  updated_at: holding.created_at,
});

async function requirePlace(call: SetCall, address: Address, { id }: Holding): Promise<void> {
  await requireRoom(call, 'ip-management.reverse-records');
  const before = await countInPrefix(call.db, call.caller.account.id, address.text);
  await requireRoomIn(call, 'ip-management.reverse-records-per-prefix', id, { before });
}

/** Tells the nameserver when all checks have passed. While another call or a schedule does that, it is left to them. */
function tellLater(call: SetCall, engine: ReverseDns, id: string, wish: Wish, prepared: Prepared): void {
  const { services, caller } = call;
  call.act({
    subject: id,
    patienceMs: CLAIM_MS,
    async perform() {
      // The address may have been released since the checks; then nobody may name it.
      const isHeld = (await findHolding(services.db, caller.account.id, wish.address)) !== undefined;
      prepared.outcome = isHeld
        ? await outcomeOf(askEngine(engine, (dns, signal) => tell(dns, wish, signal), TELL_MS))
        : 'away';
    },
    leave() {
      prepared.outcome = 'away';
    },
  });
}

function warn(call: SetCall, { forward, outcome }: Prepared): void {
  if (outcome === 'away')
    call.warn({
      code: 'dns_delayed',
      detail:
        'The nameserver does not answer at the moment. The name is stored, and the nameserver gets it as soon as it answers.',
    });
  else if (outcome !== null && outcome !== 'synced')
    call.warn({
      code: 'dns_refused',
      detail: `${outcome.refused} The name is stored and tried again every minute. Ask your provider.`,
    });
  if (forward.forward_confirmed === 'no')
    call.warn({
      code: 'forward_mismatch',
      pointer: '/hostname',
      detail:
        'The name does not lead back to the address. Add an A or AAAA record for it where you manage the domain; it is looked up again after 5 minutes, an hour and a day.',
    });
}

const isIpv6 = ({ family }: Address): boolean => family === 6;

export const setReverseRecord = endpoint({
  id: 'setReverseRecord',
  method: 'PUT',
  path: recordView.one.path,
  summary: 'Set the name of an address (reverse DNS)',
  description:
    'Sets the PTR record of one address that your account holds, for IPv6 of any address in a prefix. The value null puts the default name of an IPv4 address back, and removes the name of an IPv6 address. If the nameserver does not answer, the call succeeds with the `sync_status` `pending` and the warning `dns_delayed`, and the nameserver gets the name later. If the name does not lead back to the address, the warning is `forward_mismatch`. An address that leaves your account loses its name.',
  permission: 'ip-management:reverse-records:write',
  access: 'write',
  resource: { name: reverseRecordResource.type, role: 'declare', key: 'address' },
  params: RecordParams,
  body: SetReverseRecord,
  answers: { 200: ReverseRecord, 201: ReverseRecord },
  problems: ['capability_missing', 'quota_exceeded'],
  example: {
    params: { id: exampleRecord.id },
    body: { hostname: 'mail.example.com' },
    answer: { status: 200, body: exampleRecord },
  },
  prepare: async (call): Promise<Prepared> => ({ forward: await lookUpNow(call), outcome: null }),
  async handle(call: SetCall, prepared) {
    const { db, caller, services, body, now } = call;
    const faults = hostnameFaults(body.hostname, services.provider);
    if (faults.length > 0) throw invalid(faults);
    await lockDeclarations(db, caller.account.id, reverseRecordResource.type);
    const taken = await take(call);
    const { address, holding } = taken;
    const engine = engineFor(services, holding.location);
    const found = await lockRecord(db, caller.account.id, recordIdOf(address));
    const before: ReverseRecordRow = found ?? absent(call, taken);
    const isThere = !isIpv6(address) || before.hostname !== null;
    call.checkVersion(isThere ? recordEtag(before) : null);
    const hostname = body.hostname === null ? null : canonicalName(body.hostname);
    const wanted = { ...before, hostname, ttl_seconds: body.ttl_seconds ?? DEFAULT_TTL };
    const isGone = isIpv6(address) && hostname === null;
    const shownOf = (row: ReverseRecordRow) => ({
      hostname: wantedName(services, row),
      ttl_seconds: row.ttl_seconds,
    });
    const changes = isGone
      ? changesBetween(shownOf(before), { hostname: null })
      : changesBetween(isThere ? shownOf(before) : null, shownOf(wanted));
    const isSame = changes.length === 0;
    if (!isThere && !isGone) await requirePlace(call, address, holding);
    const action = isSame ? 'none' : isThere ? 'update' : 'create';
    call.effect({ action, ...recordRef(before), changes });
    if (isSame && before.sync_status === 'synced') return ok(recordView.present(call, before));
    const wish = {
      address: address.text,
      hostname: wantedName(services, wanted),
      ttlSeconds: wanted.ttl_seconds,
    };
    tellLater(call, engine, before.id, wish, prepared);
    warn(call, prepared);
    const after = await keep(call, { before, wanted, isSame, isThere, isGone }, prepared, now);
    if (!isSame) call.event(updatedEvent(after, wish.hostname));
    if (after.sync_status === 'failed' && before.sync_status !== 'failed')
      call.event(failedEvent(after, wish.hostname));
    const shown = recordView.present(call, after);
    return isThere || isGone ? ok(shown) : created(shown);
  },
});

interface Change {
  readonly before: ReverseRecordRow;
  readonly wanted: ReverseRecordRow;
  readonly isSame: boolean;
  readonly isThere: boolean;
  readonly isGone: boolean;
}

/** Writes the wish, and what the nameserver said to it. */
async function keep(
  { db, caller }: SetCall,
  { before, wanted, isSame, isThere, isGone }: Change,
  { outcome, forward }: Prepared,
  now: Date,
): Promise<ReverseRecordRow> {
  const state = syncStateAfter(outcome ?? 'away', now);
  if (isGone && state.sync_status === 'synced') {
    await deleteRecord(db, before);
    return { ...wanted, ...state, ...NOT_LOOKED_UP, version: before.version + 1, updated_at: now };
  }
  if (isSame) {
    await noteSync(db, before, state);
    return { ...before, ...state };
  }
  const { forward_checks: _, version: __, created_at: ___, updated_at: ____, ...columns } = wanted;
  return writeRecord(db, { ...columns, ...state, ...forward, account_id: caller.account.id }, !isThere);
}
