/**
 * Lists the migrations and runs those that are pending. There are no down migrations: the schema only moves
 * forward. Processes that start at the same time wait for one another on a lock. The list is written out because the
 * bundle is one file: it has no folder to read, and contains only what is imported by name.
 */
import { type Migration, Migrator, sql } from 'kysely';
import type { Db } from '../database.ts';
import * as foundation from './0001-foundation.ts';
import * as operations from './0002-operations.ts';
import * as metering from './0003-metering.ts';
import * as webhooks from './0004-webhooks.ts';
import * as budgets from './0005-budgets.ts';
import * as sandbox from './0006-sandbox.ts';
import * as machines from './0007-machines.ts';
import * as incus from './0008-incus.ts';
import * as plannedChildren from './0009-planned-children.ts';
import * as keyAddresses from './0010-key-addresses.ts';
import * as addressesAndTraffic from './0011-addresses-and-traffic.ts';
import * as consoleKeys from './0012-console-keys.ts';
import * as budgetsLookAhead from './0013-budgets-look-ahead.ts';
import * as claims from './0014-claims.ts';
import * as limitCounts from './0015-limit-counts.ts';
import * as pendingPrices from './0016-pending-prices.ts';
import * as warnings from './0017-warnings.ts';
import * as failedCreates from './0018-failed-creates.ts';
import * as addressesFirst from './0019-addresses-first.ts';
import * as people from './0020-people.ts';
import * as mails from './0021-mails.ts';
import * as callsOfPeople from './0022-calls-of-people.ts';
import * as addressTree from './0024-address-tree.ts';
import * as volumes from './0025-volumes.ts';
import * as firewalls from './0026-firewalls.ts';
import * as backups from './0027-backups.ts';
import * as vpn from './0028-vpn.ts';
import * as backupPolicies from './0030-backup-policies.ts';
import * as isos from './0031-isos.ts';
import * as addressesInUse from './0032-addresses-in-use.ts';
import * as passingImages from './0033-passing-images.ts';
import * as fairSlots from './0034-fair-slots.ts';
import * as keyLineages from './0038-key-lineages.ts';
import * as downloadLinks from './0039-download-links.ts';
import * as meterTotals from './0040-meter-totals.ts';
import * as futureCosts from './0041-future-costs.ts';
import * as keptCounts from './0042-kept-counts.ts';
import * as consolesOfDeletedMachines from './0044-consoles-of-deleted-machines.ts';
import * as rehearsals from './0045-rehearsals.ts';
import * as approvalChanges from './0046-approval-changes.ts';
import * as reverseRecords from './0050-reverse-records.ts';
import * as addressesAsResources from './0051-addresses-as-resources.ts';
import * as addressHoldings from './0052-address-holdings.ts';
import * as tickets from './0053-tickets.ts';

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation as Migration,
  '0002-operations': operations as Migration,
  '0003-metering': metering as Migration,
  '0004-webhooks': webhooks as Migration,
  '0005-budgets': budgets as Migration,
  '0006-sandbox': sandbox as Migration,
  '0007-machines': machines as Migration,
  '0008-incus': incus as Migration,
  '0009-planned-children': plannedChildren as Migration,
  '0010-key-addresses': keyAddresses as Migration,
  '0011-addresses-and-traffic': addressesAndTraffic as Migration,
  '0012-console-keys': consoleKeys as Migration,
  '0013-budgets-look-ahead': budgetsLookAhead as Migration,
  '0014-claims': claims as Migration,
  '0015-limit-counts': limitCounts as Migration,
  '0016-pending-prices': pendingPrices as Migration,
  '0017-warnings': warnings as Migration,
  '0018-failed-creates': failedCreates as Migration,
  '0019-addresses-first': addressesFirst as Migration,
  '0020-people': people as Migration,
  '0021-mails': mails as Migration,
  '0022-calls-of-people': callsOfPeople as Migration,
  '0024-address-tree': addressTree as Migration,
  '0025-volumes': volumes as Migration,
  '0026-firewalls': firewalls as Migration,
  '0027-backups': backups as Migration,
  '0028-vpn': vpn as Migration,
  '0030-backup-policies': backupPolicies as Migration,
  '0031-isos': isos as Migration,
  '0032-addresses-in-use': addressesInUse as Migration,
  '0033-passing-images': passingImages as Migration,
  '0034-fair-slots': fairSlots as Migration,
  '0038-key-lineages': keyLineages as Migration,
  '0039-download-links': downloadLinks as Migration,
  '0040-meter-totals': meterTotals as Migration,
  '0041-future-costs': futureCosts as Migration,
  '0042-kept-counts': keptCounts as Migration,
  '0044-consoles-of-deleted-machines': consolesOfDeletedMachines as Migration,
  '0045-rehearsals': rehearsals as Migration,
  '0046-approval-changes': approvalChanges as Migration,
  '0050-reverse-records': reverseRecords as Migration,
  '0051-addresses-as-resources': addressesAsResources as Migration,
  '0052-address-holdings': addressHoldings as Migration,
  '0053-tickets': tickets as Migration,
};

export async function migrate(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error');
    const where = failed ? `Migration ${failed.migrationName} failed` : 'The database could not be migrated';
    const reason = error instanceof Error ? error.message : String(error);
    const hint = reason.includes('corrupted migrations')
      ? ' This database was written by a newer version of Hostplane: start that version, or restore a backup.'
      : ' Nothing was changed; fix the cause and start again.';
    throw new Error(`${where}: ${reason}.${hint}`, { cause: error });
  }
  return (results ?? []).map((result) => result.migrationName);
}

export async function pendingMigrations(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  return (await migrator.getMigrations()).filter((m) => m.executedAt === undefined).map((m) => m.name);
}

/** The names of migrations in the database that this version does not have: a newer version has written it. */
export async function foreignMigrations(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !(name in migrations));
}

/** Runs all migrations in the current schema, without recording them. */
export async function buildSchema(db: Db): Promise<void> {
  for (const { up } of Object.values(migrations)) await up(db);
}
