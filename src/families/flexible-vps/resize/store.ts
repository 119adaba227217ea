import { type RawBuilder, sql } from 'kysely';

/** How much the pending resizes of an account add to a member of the sizes. The rows do not contain it yet. */
const pendingGrowth = (accountId: string, member: 'vcpus' | 'memory_mb') => sql`
  (select coalesce(sum(greatest(0,
    (input->'to'->>${sql.lit(member)})::int - (input->'from'->>${sql.lit(member)})::int)), 0)
  from operations where account_id = ${accountId} and type = 'vm.resize' and finished_at is null)`;

/** Counts the vCPUs of all machines of an account, with the growth of pending resizes. */
export const countVcpus = (accountId: string): RawBuilder<number> => sql`
  select coalesce(sum(vcpus), 0) + ${pendingGrowth(accountId, 'vcpus')} from vms
  where account_id = ${accountId}`;

/** Counts the memory of all machines of an account, with the growth of pending resizes. */
export const countMemoryGb = (accountId: string): RawBuilder<number> => sql`
  select ceil((coalesce(sum(memory_mb), 0) + ${pendingGrowth(accountId, 'memory_mb')}) / 1024.0) from vms
  where account_id = ${accountId}`;
