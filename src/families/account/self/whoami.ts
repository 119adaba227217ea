import { judgeAddress } from '../../../kernel/access/allowlist.ts';
import { roleNames } from '../../../kernel/access/roles.ts';
import { allowlistModes, approvals, keyStatuses } from '../../../kernel/access/tables.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Id, Named, Nullable, OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { OverMonthly } from '../api-keys/schema.ts';

const Whoami = Named(
  'Whoami',
  Shape({
    account: Shape({
      id: Id('acc'),
      name: Type.String(),
      status: OneOf(['active', 'restricted', 'suspended', 'closing']),
    }),
    key: Shape({
      id: Id('key'),
      public_id: Type.String(),
      name: Type.String(),
      status: OneOf(keyStatuses),
      expires_at: Nullable(Time),
      permissions: Type.Array(Type.String()),
      approval: OneOf(approvals),
      approval_over_monthly: OverMonthly,
    }),
    owner: Shape({ member_id: Id('mem'), role: OneOf(roleNames) }),
    effective_permissions: Type.Array(
      Type.String({
        description:
          'A permission that the key really has: the key grants it, the role of its owner allows it, the product is enabled, and the status of the account permits it.',
      }),
    ),
    client: Shape({
      ip: Type.String(),
      rate_limit_key: Type.String(),
      allowlist: Shape({
        mode: OneOf(allowlistModes),
        would_allow: Type.Boolean({
          description: 'Whether Enforce mode would allow this address, whatever the current mode is.',
        }),
        matched_entry_id: Nullable(Type.String()),
      }),
    }),
    rate_limit: Shape({ limit: Type.Integer(), remaining: Type.Integer(), window_seconds: Type.Integer() }),
    server_time: Time,
  }),
);

const example = {
  account: { id: 'acc_01jqzv2m7xe9rs5d3k8w4t6y0b', name: 'Example GmbH', status: 'active' },
  key: {
    id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
    public_id: 'EXAMPLEkey00',
    name: 'ci',
    status: 'active',
    expires_at: '2026-06-01T10:00:00.000Z',
    permissions: ['account:profile:read'],
    approval: 'off',
    approval_over_monthly: null,
  },
  owner: { member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c', role: 'developer' },
  effective_permissions: ['account:profile:read', 'account:self:read'],
  client: {
    ip: '203.0.113.7',
    rate_limit_key: '203.0.113.7',
    allowlist: { mode: 'off', would_allow: false, matched_entry_id: null },
  },
  rate_limit: { limit: 200, remaining: 187, window_seconds: 60 },
  server_time: '2026-03-01T10:00:00.000Z',
};

export const getWhoami = endpoint({
  id: 'getWhoami',
  method: 'GET',
  path: '/account/v1/whoami',
  summary: 'Show the calling key and what it may do',
  description:
    'The key, its owner and role, its effective permissions, the client address as seen, the verdict of the allowlist and the remaining rate limit. Every key may call it.',
  permission: 'account:self:read',
  access: 'read',
  resource: { name: 'whoami', role: 'read' },
  answers: { 200: Whoami },
  problems: [],
  example: { answer: { status: 200, body: example } },
  async handle({ caller, client, services, now }) {
    const { account, key, owner } = caller;
    const verdict = judgeAddress(account, client.address, now.getTime());
    const allowed = services.registry.endpoints.filter((record) => caller.decide(record).allowed);
    if (owner === null || account.status === 'closed')
      throw new Error('A key without an owner passed the key stage.');
    return ok({
      account: { id: account.id, name: account.name, status: account.status },
      key: {
        id: key.id,
        public_id: key.publicId,
        name: key.name,
        status: key.status,
        expires_at: key.expiresAt?.toISOString() ?? null,
        permissions: [...key.permissions],
        approval: key.approval,
        approval_over_monthly: key.approvalOverMonthly,
      },
      owner: { member_id: owner.memberId, role: owner.role },
      effective_permissions: [...new Set(allowed.map((record) => record.permission))].sort(),
      client: {
        ip: client.address.text,
        rate_limit_key: client.rateLimitKey,
        allowlist: {
          mode: account.allowlist.mode,
          would_allow: verdict.wouldAllow,
          matched_entry_id: verdict.matchedEntryId,
        },
      },
      rate_limit: { limit: client.rate.limit, remaining: client.rate.remaining, window_seconds: 60 },
      server_time: now.toISOString(),
    });
  },
});
