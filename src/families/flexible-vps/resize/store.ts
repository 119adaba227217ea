import { type RawBuilder, sql } from 'kysely';

/**
 * Counts the machines of an account, their vCPUs and their memory in GB. Pending resizes count with their growth, which
 * the rows of the machines do not contain yet.
 */
export const countMachines = (accountId: string): RawBuilder<unknown> => sql`
  select machines.count, machines.vcpus + growth.vcpus, ceil((machines.memory_mb + growth.memory_mb) / 1024.0)
  from (
    select count(*) as count, coalesce(sum(vcpus), 0) as vcpus, coalesce(sum(memory_mb), 0) as memory_mb
    from vms where account_id = ${accountId}) machines
  cross join (
    select
      coalesce(sum(greatest(0, (input->'to'->>'vcpus')::int - (input->'from'->>'vcpus')::int)), 0) as vcpus,
      coalesce(sum(greatest(0, (input->'to'->>'memory_mb')::int - (input->'from'->>'memory_mb')::int)), 0)
        as memory_mb
    from operations where account_id = ${accountId} and type = 'vm.resize' and finished_at is null) growth`;
