import { sql } from 'kysely';
import type { Ref } from '../../../engines/compute/port.ts';
import { inPages } from '../../../engines/reconciler/pages.ts';
import type { Moment } from '../../../engines/reconciler/store.ts';
import type { Call } from '../../../kernel/call.ts';
import { pendingOperation } from '../../../kernel/pending/store.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { fromOffered, type OfferedQuery, readOffered } from '../catalog/store.ts';
import type { IsoState } from './lifecycle.ts';
import type { IsoRow } from './table.ts';

const mounted = (accountId: string) => sql<number>`(
  select count(*)::int from vms where vms.account_id = ${accountId} and vms.iso_id = vps_isos.id)`;

interface IsosQuery extends OfferedQuery {
  readonly kind?: 'public' | 'private' | undefined;
  readonly status?: IsoState | undefined;
  readonly architecture?: IsoRow['architecture'] | undefined;
  readonly location?: string | undefined;
  readonly for_vm?: string | undefined;
}

type Reader<Q> = Pick<Call<unknown, Q>, 'db' | 'query' | 'caller' | 'services'>;

/** Selects ISOs of the account and of the provider, each with its pending operation and the number of its machines. */
const whole = (call: Pick<Call, 'db' | 'caller'>, ofProvider: readonly IsoRow[], kind?: IsosQuery['kind']) =>
  fromOffered(call, 'vps_isos', ofProvider, kind === 'private' ? 'own' : kind)
    .selectAll('vps_isos')
    .select([pendingOperation('vps_isos.id').as('pending'), mounted(call.caller.account.id).as('mounted')]);

/** Lists the ISOs of the account together with those of the provider. */
export async function readIsos(call: Reader<IsosQuery>, ofProvider: readonly IsoRow[]) {
  const { kind, status, architecture, location, for_vm } = call.query;
  const query = whole(call, ofProvider, kind);
  return readOffered(call, 'vps_isos', 'listIsos', query, [
    status === undefined ? null : sql<boolean>`vps_isos.status = ${status}`,
    architecture === undefined ? null : sql<boolean>`vps_isos.architecture = ${architecture}`,
    location === undefined ? null : sql<boolean>`${location} = any(vps_isos.locations)`,
    for_vm === undefined
      ? null
      : sql<boolean>`exists (
          select from vms where vms.id = ${for_vm} and vms.account_id = ${call.caller.account.id}
            and vms.location = any(vps_isos.locations) and vms.architecture = vps_isos.architecture)`,
  ]);
}

/** `ofProvider` is the ISO of the provider with this id, if there is one. */
export async function findIso(call: Pick<Call, 'db' | 'caller'>, id: string, ofProvider: IsoRow | undefined) {
  return whole(call, ofProvider === undefined ? [] : [ofProvider])
    .where('vps_isos.id', '=', id)
    .executeTakeFirst();
}

export const { find: findIsoRow, share: shareIsoRow, read: readIso } = rowsOf('vps_isos');

/** Machines that have the ISO in their drive, or whose drive is being changed from or to it. */
export async function machinesWithIso(db: Db, accountId: string, isoId: string) {
  const { rows } = await sql<{ type: string; id: string; name: string }>`
    select 'vm' as type, id, name from vms
    where account_id = ${accountId} and id in (
      select id from vms where account_id = ${accountId} and iso_id = ${isoId}
      union all
      select resource_id from operations where account_id = ${accountId} and finished_at is null
        and type = 'vm.set_iso' and ${isoId} in (input #>> '{before,iso_id}', input #>> '{wanted,iso_id}'))
    order by id`.execute(db);
  return rows;
}

interface Progress {
  readonly isoId: string;
  readonly status: 'downloading' | 'verifying';
  readonly percent: number;
  readonly operationId: string;
}

/**
 * Keeps the version, because no change of a client can be overwritten. Does nothing if the operation has ended, so that
 * a worker that lost it cannot change a finished ISO.
 */
export async function noteIsoProgress(
  db: Db,
  { isoId, status, percent, operationId }: Progress,
): Promise<void> {
  await sql`
    with operation as (
      update operations set progress_percent = ${percent}
      where id = ${operationId} and finished_at is null and phase = 'forward' returning resource_id),
    iso as (
      update vps_isos set status = ${status}, progress_percent = ${percent}
      from operation where id = ${isoId} and id = operation.resource_id and status in ('downloading', 'verifying')
      returning id)
    update resources set status = ${status} from iso where resources.id = iso.id`.execute(db);
}

/** All ISOs of accounts, one page at a time: any location may have any of them. */
export const isosAnywhere = (
  db: Db,
): AsyncGenerator<Pick<IsoRow, 'id' | 'account_id' | 'status' | 'locations'>[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('vps_isos')
      .select(['id', 'account_id', 'status', 'locations'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

export async function isIso(db: Db, { account, id }: Ref): Promise<boolean> {
  return (await findIsoRow(db, account, id)) !== undefined;
}

export function lockIsoUnchanged(tx: Tx, { account, id }: Ref, since: Moment): Promise<IsoRow | undefined> {
  return tx
    .selectFrom('vps_isos')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .forUpdate()
    .executeTakeFirst();
}
