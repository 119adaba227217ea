/** Checks a simulated world after all its operations have ended. */
import { sql } from 'kysely';
import type { SimulationHome } from './home.ts';
import { type Known, type Ledger, Violation } from './ledger.ts';

/** The last event sequence of each account when the simulation started. */
export type Heads = ReadonlyMap<string, number>;

export async function readHeads({ wire }: SimulationHome): Promise<Heads> {
  const { rows } = await sql<{ account_id: string; sequence: number }>`
    select account_id, sequence from event_heads`.execute(wire.db);
  return new Map(rows.map(({ account_id, sequence }) => [account_id, sequence]));
}

export async function checkEnd(
  home: SimulationHome,
  ledger: Ledger,
  heads: Heads,
  disturbed: ReadonlySet<string>,
): Promise<void> {
  checkEffects(await readEffects(home, ledger), home, ledger);
  await checkEvents(home, ledger, heads);
  await checkRoom(home, ledger, disturbed);
  const left = await sql`select from operation_subjects`.execute(home.wire.db);
  if (left.rows.length > 0) throw new Violation('places are left in queues');
}

async function readEffects({ wire }: SimulationHome, ledger: Ledger): Promise<ReadonlyMap<string, string[]>> {
  const ids = ledger.all.map(({ row }) => row.id);
  const { rows } = await sql<{ operation_id: string; step: string }>`
    select operation_id, step from machine_effects where operation_id = any(${ids}::text[])`.execute(wire.db);
  const effects = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { operation_id, step } of rows) effects.get(operation_id)?.push(step);
  return effects;
}

function checkEffects(
  effects: ReadonlyMap<string, string[]>,
  { registry }: SimulationHome,
  ledger: Ledger,
): void {
  for (const { name, row } of ledger.all) {
    const own = effects.get(row.id) ?? [];
    const twice = own.find((step, i) => own.indexOf(step) !== i);
    if (twice !== undefined) throw new Violation(`${name} committed ${twice} twice`);
    const kind = registry.kinds.get(row.type);
    const isUndone = row.status === 'cancelled' && row.phase === 'undo';
    const steps = row.status === 'succeeded' ? kind?.steps : isUndone ? kind?.undo : [];
    const owed = [...(steps ?? []).map((step) => step.name), 'settled'];
    const missing = owed.find((step) => !own.includes(step));
    if (missing !== undefined) throw new Violation(`${name} ${row.status} without ${missing}`);
  }
}

async function checkEvents({ wire }: SimulationHome, ledger: Ledger, heads: Heads): Promise<void> {
  const { rows } = await sql<{ account_id: string; sequence: number; type: string; operation_id: string }>`
    select account_id, sequence, type, operation_id from events order by account_id, sequence`.execute(
    wire.db,
  );
  const last = new Map(heads);
  const told = new Map<string, string[]>();
  for (const { account_id, sequence, type, operation_id } of rows) {
    if (sequence <= (heads.get(account_id) ?? 0)) continue;
    if (sequence !== (last.get(account_id) ?? 0) + 1) throw new Violation(`a gap before event ${sequence}`);
    last.set(account_id, sequence);
    told.set(operation_id, [...(told.get(operation_id) ?? []), type]);
  }
  for (const { name, row } of ledger.all) {
    // An `ask` operation starts in the waiting state, which counts as running, so it emits no later
    // `operation.started` event.
    const hasBegun = row.is_begun && row.type !== 'ask';
    const owed = [...(hasBegun ? ['operation.started'] : []), `operation.${row.status}`].join(', ');
    const own = (told.get(row.id) ?? []).join(', ');
    if (own !== owed) throw new Violation(`${name} told of ${own} instead of ${owed}`);
  }
}

/** A machine whose last operation removed it must be gone, unless a worker changed it after losing its lease. */
async function checkRoom(
  { wire }: SimulationHome,
  ledger: Ledger,
  disturbed: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await sql<{ machine_id: string }>`select machine_id from machine_room`.execute(wire.db);
  const standing = new Set(rows.map(({ machine_id }) => machine_id));
  const last = new Map<string, Known>();
  for (const known of ledger.ended)
    for (const machine of known.row.is_begun ? known.subjects : []) last.set(machine, known);
  for (const [machine, { name, row }] of last) {
    const isTakenDown =
      (row.type === 'build' && row.status === 'cancelled') ||
      (row.type === 'remove' && row.status === 'succeeded');
    if (isTakenDown && standing.has(machine) && !disturbed.has(machine))
      throw new Violation(`${machine} still stands after ${name} ${row.status}`);
  }
}
