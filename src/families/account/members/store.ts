import { sql } from 'kysely';
import type { RoleName } from '../../../kernel/access/roles.ts';
import type { Call } from '../../../kernel/call.ts';
import { type CreatedWithin, createdWithin, readPage, type SortKey } from '../../../kernel/pages/store.ts';

interface MembersQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly name?: string;
  readonly role?: RoleName;
  readonly status?: 'invited' | 'active' | 'suspended';
}

const id: SortKey = { column: sql.ref('members.id'), type: 'text' };
const name: SortKey = { column: sql`members.name collate "C"`, type: 'text' };

export async function readMembers(call: Call<unknown, MembersQuery>) {
  const { role, status } = call.query;
  let query = call.db
    .selectFrom('members')
    .selectAll('members')
    .select(
      sql<number>`(select count(*) from api_keys k where k.owner_id = members.id and k.status <> 'revoked'
        and (k.expires_at is null or k.expires_at > now()))`.as('key_count'),
    )
    .where(createdWithin(sql.ref('members.created_at'), call.query));
  if (call.query.name !== undefined) query = query.where('members.name', '=', call.query.name);
  if (role !== undefined) query = query.where('members.role', '=', role);
  if (status !== undefined) query = query.where('members.status', '=', status);
  return readPage(call, query, {
    owner: { column: sql.ref('members.account_id'), id: call.caller.account.id },
    endpoint: 'listMembers',
    id,
    sorts: { created_at: id, name },
  });
}
