import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { countSizes } from '../vms/store.ts';

/** Counts present sizes plus the growth of pending resizes, which the rows do not contain yet. */
export async function countGrantedSizes(db: Db, accountId: string): Promise<ReadonlyMap<string, number>> {
  const present = await countSizes(db, accountId);
  const { rows } = await sql<{ vcpus: number; memory_gb: number }>`
    select
      coalesce(sum(greatest(0, (input->'to'->>'vcpus')::int - (input->'from'->>'vcpus')::int)), 0)::int as vcpus,
      ceil(coalesce(sum(greatest(0, (input->'to'->>'memory_mb')::int - (input->'from'->>'memory_mb')::int)), 0) / 1024.0)::int
        as memory_gb
    from operations
    where account_id = ${accountId} and type = 'vm.resize' and finished_at is null`.execute(db);
  const granted = new Map([
    ['flexible-vps.vcpus', rows[0]?.vcpus ?? 0],
    ['flexible-vps.memory-gb', rows[0]?.memory_gb ?? 0],
  ]);
  return new Map([...present].map(([id, count]) => [id, count + (granted.get(id) ?? 0)]));
}
