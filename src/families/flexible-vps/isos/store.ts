import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import { operationIn, pendingOperation } from '../../../kernel/pending/store.ts';
import type { Db } from '../../../store/database.ts';
import type { IsoState } from './lifecycle.ts';
import type { IsoRow } from './table.ts';

const mounted = sql<number>`(select count(*)::int from vms where vms.iso_id = vps_isos.id)`;

const whole = (db: Db) =>
  db
    .selectFrom('vps_isos')
    .selectAll('vps_isos')
    .select([pendingOperation('vps_isos.id').as('pending'), mounted.as('mounted')]);

type Found = NonNullable<Awaited<ReturnType<ReturnType<typeof whole>['executeTakeFirst']>>>;

const wholeOf = ({ pending, mounted: mountedOn, ...row }: Found) => ({
  row: row as IsoRow,
  operation: operationIn(pending),
  mountedOn,
});

interface Filters {
  readonly status?: IsoState | undefined;
  readonly architecture?: IsoRow['architecture'] | undefined;
  readonly location?: string | undefined;
  readonly for_vm?: string | undefined;
}

export async function listIsoRows(
  call: Parameters<typeof readResources>[0] & Pick<Call, 'db'>,
  { status, architecture, location, for_vm }: Filters,
) {
  let query = whole(call.db);
  if (status !== undefined) query = query.where('vps_isos.status', '=', status);
  if (architecture !== undefined) query = query.where('vps_isos.architecture', '=', architecture);
  if (location !== undefined) query = query.where(sql<boolean>`${location} = any(vps_isos.locations)`);
  if (for_vm !== undefined)
    query = query.where(
      sql<boolean>`exists (
        select from vms where vms.id = ${for_vm} and vms.account_id = ${call.caller.account.id}
          and vms.location = any(vps_isos.locations) and vms.architecture = vps_isos.architecture)`,
    );
  const { rows, nextCursor } = await readResources(call, 'vps_isos', 'listIsos', query);
  return { rows: rows.map(wholeOf), nextCursor };
}

export async function findIso(db: Db, accountId: string, id: string) {
  const found = await whole(db).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();
  return found && wholeOf(found);
}

/** Returns undefined if the row was deleted. With `share`, the ISO is not deleted until the transaction ends. */
export function findIsoRow(
  db: Db,
  accountId: string,
  id: string,
  lock?: 'share',
): Promise<IsoRow | undefined> {
  const query = db
    .selectFrom('vps_isos')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);
  return (lock === undefined ? query : query.forShare()).executeTakeFirst();
}

export async function machinesWithIso(db: Db, accountId: string, isoId: string) {
  const rows = await db
    .selectFrom('vms')
    .select(['id', 'name'])
    .where('iso_id', '=', isoId)
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ type: 'vm', ...row }));
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

export const failedIso = (failure: { readonly code: string; readonly detail: string }) => ({
  status: 'failed' as const,
  failure,
  failed_at: sql<Date>`now()`,
  progress_percent: null,
  sealed_url: null,
});

/** ISOs that failed more than `days` days ago. They were kept so that the customer can read the reason. */
export async function readStaleIsos(db: Db, days: number): Promise<string[]> {
  const rows = await db
    .selectFrom('vps_isos')
    .select('id')
    .where('status', '=', 'failed')
    .where('failed_at', '<', sql<Date>`now() - ${days} * interval '1 day'`)
    .orderBy('failed_at')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

export function lockFailedIso(db: Db, id: string): Promise<IsoRow | undefined> {
  return db
    .selectFrom('vps_isos')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .forUpdate()
    .executeTakeFirst();
}
