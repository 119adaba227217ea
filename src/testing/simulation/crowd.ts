/**
 * A simulated world without faults of the machinery, in which some operations never end while others arrive as usual.
 * It measures how long the others wait until they start.
 */
import { sql } from 'kysely';
import type { Kind } from '../../kernel/operations/kind.ts';
import type { SlotCounts } from '../../operations/claims/slots.ts';
import { readHeads } from './final-state.ts';
import type { SimulationHome } from './home.ts';
import { build, extend, type Order, restart } from './kinds.ts';
import type { Wish } from './scenario.ts';
import { World } from './world.ts';

export interface Arrival {
  readonly account: number;
  readonly location: string;
  readonly kind: Kind<Order>;
  readonly server?: string;
}

export interface Crowd {
  /** All of them arrive at the beginning, and their steps hang. */
  readonly stuck: readonly Arrival[];
  /** They arrive one after the other. */
  readonly others: readonly Arrival[];
}

export interface Waited {
  /** Seconds from the call to the start, and to the end if there was one. */
  readonly started: number;
  readonly ended: number | null;
}

export const kindsOfOwnWork: readonly Kind<Order>[] = [build, restart, extend];

const BETWEEN_MS = 250;
const TAIL_MS = 30_000;
const MINUTE = 60;

const hangs = ({ steps }: Kind<Order>): Order => ({
  behaviours: [{ step: (steps.find(({ foreign }) => foreign) ?? steps[0])?.name ?? '', does: 'hang' }],
});

let crowds = 0;

/** Returns how long each of the others waited. One that never started has waited until the end. */
export async function simulateCrowd(
  home: SimulationHome,
  { stuck, others }: Crowd,
  slots: SlotCounts,
): Promise<Waited[]> {
  await home.clear();
  const crowd = ++crowds;
  const machineOf = (place: number): string => `crowd-${crowd}-${place}`;
  const wish = ({ account, kind, server }: Arrival, place: number, order: Order): Wish => ({
    does: 'start',
    kind,
    account,
    machines: [machineOf(place)],
    order,
    waits: false,
    ...(server === undefined ? {} : { server }),
  });
  const lengthMs = (others.length + 4) * BETWEEN_MS + TAIL_MS;
  for (const [place, { account, location }] of [...stuck, ...others].entries())
    await sql`
      insert into resources (id, account_id, family, type, name, status, location)
      values (${machineOf(place)}, ${home.accounts[account]}, 'yard', 'machine', ${machineOf(place)}, 'there', ${location})
      on conflict (id) do update set location = excluded.location`.execute(home.wire.db);
  const wishes = [
    ...stuck.map((each, i) => ({ atMs: 0, wish: wish(each, i, hangs(each.kind)) })),
    ...others.map((each, i) => ({
      atMs: (i + 4) * BETWEEN_MS,
      wish: wish(each, stuck.length + i, { behaviours: [] }),
    })),
  ];
  const world = new World(home, 1, await readHeads(home), { wishes, lengthMs, workers: 1, slots });
  world.faults.calm();
  await world.live();
  const ids = others.map((_, i) => machineOf(stuck.length + i));
  const { rows } = await sql<Waited>`
    select coalesce(extract(epoch from started_at - created_at)::float8, ${MINUTE}::float8) as started,
      extract(epoch from finished_at - created_at)::float8 as ended
    from operations where resource_id = any(${ids}::text[]) order by resource_id`.execute(home.wire.db);
  return rows;
}
