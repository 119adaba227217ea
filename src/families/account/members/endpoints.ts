import { roleNames, roles } from '../../../kernel/access/roles.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Id, Named, Nullable, OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { readMembers } from './store.ts';

const memberStatuses = ['invited', 'active', 'suspended'] as const;

const Member = Named(
  'Member',
  Shape({
    id: Id('mem'),
    name: Type.String(),
    email: Type.String(),
    role: OneOf(roleNames),
    status: OneOf(memberStatuses),
    mfa_enabled: Type.Boolean(),
    key_count: Type.Integer({ description: 'Keys that are active or suspended.' }),
    last_sign_in_at: Nullable(Time),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);

const RoleDefinition = Named(
  'Role',
  Shape({
    name: OneOf(roleNames),
    description: Type.String(),
    patterns: Type.Array(Type.String()),
    sensitive: Type.Boolean({ description: 'Whether keys of its members may use sensitive permissions.' }),
  }),
);

const roleDefinitions = roleNames.map((name) => ({
  name,
  description: roles[name].description,
  patterns: [...roles[name].patterns],
  sensitive: roles[name].sensitive,
}));

const example = {
  data: [
    {
      id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c',
      name: 'Ada Example',
      email: 'ada@example.com',
      role: 'owner',
      status: 'active',
      mfa_enabled: true,
      key_count: 2,
      last_sign_in_at: '2026-03-01T09:12:00.000Z',
      etag: 'q3w2c9T1hVb7Zk0m',
      created_at: '2026-01-10T09:00:00.000Z',
      updated_at: '2026-01-10T09:00:00.000Z',
    },
  ],
  next_cursor: null,
  roles: roleDefinitions.slice(0, 1),
};

export const listMembers = endpoint({
  id: 'listMembers',
  method: 'GET',
  path: '/account/v1/members',
  summary: 'List members and roles',
  description:
    'The people of the account with role, status, MFA and number of keys, and what each role allows.',
  permission: 'account:members:read',
  access: 'read',
  resource: { name: 'member', role: 'list' },
  query: ListQuery(
    {
      name: Type.Optional(Type.String({ maxLength: 100, description: 'Exactly this name.' })),
      ...dateFilters,
      role: Type.Optional(OneOf(roleNames, { description: 'Only members with this role.' })),
      status: Type.Optional(OneOf(memberStatuses, { description: 'Only members with this status.' })),
    },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  answers: { 200: List(Member, { roles: Type.Array(RoleDefinition) }) },
  problems: [],
  example: { answer: { status: 200, body: example } },
  async handle(call) {
    const { rows, nextCursor } = await readMembers(call);
    return ok({
      data: rows.map((row) => ({
        id: row.id,
        name: row.name,
        email: row.email,
        role: row.role,
        status: row.status,
        mfa_enabled: row.mfa_enabled,
        key_count: row.key_count,
        last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
        etag: etagOf(row.id, row.version),
        created_at: row.created_at.toISOString(),
        updated_at: row.updated_at.toISOString(),
      })),
      next_cursor: nextCursor,
      roles: roleDefinitions,
    });
  },
});
