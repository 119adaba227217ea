import { judgeAddress } from '../../../kernel/access/allowlist.ts';
import { RoleNameShape } from '../../../kernel/access/roles.ts';
import {
  AllowlistModeShape,
  ApiKeyStatus,
  ApprovalMode,
  OpenAccountStatus,
  PublicId,
} from '../../../kernel/access/tables.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Id, Named, Nullable, OwnId, Shape, Time, Type } from '../../../kernel/schema.ts';
import { KeyPermissions, OverMonthly } from '../api-keys/schema.ts';

const Whoami = Named(
  'Whoami',
  Shape({
    account: Shape(
      {
        id: OwnId('acc'),
        name: Type.String({ description: 'The name of the account, set by a person.' }),
        status: OpenAccountStatus,
      },
      { description: 'The account in which the call is made.' },
    ),
    key: Nullable(
      Shape(
        {
          id: OwnId('key'),
          public_id: PublicId,
          name: Type.String({ description: 'The name that the key got when it was created.' }),
          status: ApiKeyStatus,
          expires_at: Nullable({
            ...Time,
            description: 'When the key stops working; null if it does not expire.',
          }),
          permissions: KeyPermissions,
          approval: ApprovalMode,
          approval_over_monthly: OverMonthly,
        },
        {
          description:
            'The key that makes this call; null for a person who calls without one, never for an API key.',
        },
      ),
    ),
    owner: Shape(
      { member_id: Id('mem', { description: 'The member behind the call.' }), role: RoleNameShape },
      { description: 'The member who owns the key, or who is signed in; the role limits the key.' },
    ),
    effective_permissions: Type.Array(Type.String(), {
      description:
        'What the caller may do now: the permissions that key, role, products and account status all allow.',
    }),
    client: Shape(
      {
        ip: Type.String({ description: 'Your address, as the server sees it.' }),
        rate_limit_key: Type.String({
          description: 'The address, or the /64 of an IPv6 address, whose requests are counted.',
        }),
        allowlist: Shape(
          {
            mode: AllowlistModeShape,
            would_allow: Type.Boolean({
              description: 'Whether Enforce mode would allow this address, whatever the current mode is.',
            }),
            matched_entry_id: Nullable(
              Id('ale', {
                description: 'The entry of the allowlist that contains the address; null if none does.',
              }),
            ),
          },
          { description: 'What the IP allowlist says about your address.' },
        ),
      },
      { description: 'Where this call came from.' },
    ),
    rate_limit: Shape(
      {
        limit: Type.Integer({ description: 'How many requests you may send in the window.' }),
        remaining: Type.Integer({ description: 'How many requests are left at the moment.' }),
        window_seconds: Type.Integer({
          'x-unit': 'seconds',
          description: 'The length of the sliding window.',
        }),
      },
      { description: 'The rate limit of your address.' },
    ),
    server_time: { ...Time, description: 'The clock of the server, to compare yours with.' },
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
      key: key && {
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
