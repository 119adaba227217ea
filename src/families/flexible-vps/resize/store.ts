import { type RawBuilder, sql } from 'kysely';
import { countKept } from '../../../resources/limits/kept/store.ts';

/**
 * Counts the vCPUs of the machines of an account and their memory in GB. Pending resizes count with their growth, which
 * the rows of the machines do not contain yet.
 */
export const countSizes = (accountId: string): RawBuilder<unknown> => sql`
  select (${countKept(accountId, ['vm.vcpus'], null)}) + growth.vcpus,
    ceil(((${countKept(accountId, ['vm.memory_mb'], null)}) + growth.memory_mb) / 1024.0)
  from (
    select
      coalesce(sum(greatest(0, (input->'to'->>'vcpus')::int - (input->'from'->>'vcpus')::int)), 0) as vcpus,
      coalesce(sum(greatest(0, (input->'to'->>'memory_mb')::int - (input->'from'->>'memory_mb')::int)), 0)
        as memory_mb
    from operations where account_id = ${accountId} and type = 'vm.resize' and finished_at is null) growth`;
