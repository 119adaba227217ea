/** Starts one PostgreSQL for all test files of a project and creates the migrated template database that they copy. */
import type { TestProject } from 'vitest/node';
import { openDatabase, openPool } from '../store/database.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { removeLeftovers } from './folder.ts';
import { administer, findSystemPostgres, startPostgres, TEMPLATE } from './postgres.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const system = findSystemPostgres();
  const isSystem = system !== undefined && project.name === `postgres-${system.major}`;
  const { host, port, user, stop } = await startPostgres(isSystem ? { programs: system.bin } : {});
  const server = { host, port, user };
  await administer(server, `create database ${TEMPLATE}`);
  const db = openDatabase(openPool({ ...server, database: TEMPLATE }));
  await migrate(db);
  await db.destroy();
  project.provide('postgres', server);
  return async () => {
    await stop();
    // The processes that ran the test files have ended by now.
    await removeLeftovers();
  };
}
