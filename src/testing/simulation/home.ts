/** The database that simulated worlds use, one after the other. */
import { sql } from 'kysely';
import { families } from '../../families/index.ts';
import { buildRegistry, type Registry } from '../../kernel/registry.ts';
import type { Connection } from '../../store/database.ts';
import { createAccount } from '../accounts.ts';
import { createMachinesTables } from '../machines.ts';
import { kinds } from './kinds.ts';
import { Wire } from './wire.ts';

export interface SimulationHome {
  /**
   * `wire` runs transactions without delay, `slow` runs the one transaction whose commit is delayed, and `watch`
   * observes both.
   */
  readonly wire: Wire;
  readonly slow: Wire;
  readonly watch: Wire;
  readonly registry: Registry;
  readonly accounts: readonly string[];
  /** Removes everything of earlier worlds that could affect the next one. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const ACCOUNTS = 12;

/** Ended operations do not affect later worlds; they are removed only to keep the tables small. */
const WORLDS_PER_CLEARING = 20;

export async function openSimulationHome(connection: Connection): Promise<SimulationHome> {
  const [wire, slow, watch] = await Promise.all([
    Wire.open(connection),
    Wire.open(connection),
    Wire.open(connection),
  ]);
  const { db } = wire;
  await createMachinesTables(db);
  await sql`create table machine_news (machine_id text not null)`.execute(db);
  const accounts: string[] = [];
  for (let i = 0; i < ACCOUNTS; i++) accounts.push((await createAccount(db)).id);
  const yard = { name: 'yard', title: 'Yard', description: 'Only in simulations.', endpoints: [], kinds };
  let worlds = 0;
  return {
    wire,
    slow,
    watch,
    registry: buildRegistry([...families, yard]),
    accounts,
    async clear() {
      if (worlds++ % WORLDS_PER_CLEARING === 0)
        await sql`truncate operations, events, event_heads, machine_effects cascade`.execute(db);
      await sql`delete from operations where finished_at is null`.execute(db);
      await sql`delete from machine_room`.execute(db);
      await sql`delete from machine_news`.execute(db);
    },
    async close() {
      for (const each of [wire, slow, watch]) await each.close();
    },
  };
}
