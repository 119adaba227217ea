import { RoleNameShape, roleNames, roles } from '../../../kernel/access/roles.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import {
  byOthers,
  byProvider,
  CreatedAt,
  Etag,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  Time,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';
import { readMembers } from './store.ts';

const MemberStatus = Named(
  'MemberStatus',
  OneOf(
    {
      invited: 'The person has not accepted the invitation yet.',
      active: 'The person can sign in and own keys.',
      suspended: 'The person cannot sign in, and the keys of the person are refused.',
    },
    { description: 'Whether the member can sign in and use keys.' },
  ),
);

const Member = Named(
  'Member',
  Shape({
    id: OwnId('mem'),
    name: Type.String({ description: 'The name of the person.' }),
    email: Type.String({
      ...byOthers,
      format: 'email',
      description: 'The address that the person signs in with.',
    }),
    role: RoleNameShape,
    status: MemberStatus,
    mfa_enabled: Type.Boolean({ description: 'Whether the member signs in with a second factor.' }),
    key_count: Type.Integer({
      description: 'The number of keys of the member that are active or suspended.',
    }),
    last_sign_in_at: Nullable({
      ...Time,
      description: 'When the member last signed in; null if never.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'email', 'role', 'status', 'last_sign_in_at'] },
);

const RoleDefinition = Named(
  'Role',
  Shape({
    name: RoleNameShape,
    description: Type.String({ ...byProvider, description: 'What members with this role may do, in words.' }),
    patterns: Type.Array(Type.String(), {
      description: 'The permissions that keys of such members can have at most, as patterns.',
    }),
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
      name: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only members with exactly this name.' }),
      ),
      ...dateFilters,
      role: Type.Optional({ ...RoleNameShape, description: 'Only members with this role.' }),
      status: Type.Optional({ ...MemberStatus, description: 'Only members with this status.' }),
    },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  answers: {
    200: List(Member, {
      roles: Type.Array(RoleDefinition, { description: 'All roles and what they allow.' }),
    }),
  },
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
