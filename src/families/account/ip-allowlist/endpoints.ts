import { judgeAddress } from '../../../kernel/access/allowlist.ts';
import { allowlistModes } from '../../../kernel/access/tables.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Id, Named, Nullable, OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { readAllowlist, readWouldDeny } from './store.ts';

const IpAllowlist = Named(
  'IpAllowlist',
  Shape({
    mode: OneOf(allowlistModes, { description: 'Off, Report only or Enforce; set by a person.' }),
    mode_changed: Nullable(Shape({ at: Time, by: Type.String() })),
    version: Type.Integer(),
    entries: Type.Array(
      Shape({
        id: Id('ale'),
        cidr: Type.String(),
        family: OneOf(['ipv4', 'ipv6']),
        note: Type.String(),
        expires_at: Nullable(Time),
        last_matched_at: Nullable(Time),
        created: Shape({ at: Time, by: Type.String() }),
      }),
    ),
    caller: Shape({
      ip: Type.String(),
      would_allow: Type.Boolean(),
      matched_entry_id: Nullable(Type.String()),
    }),
    would_deny: Shape({
      requests_24h: Type.Integer(),
      pairs_30d: Type.Array(
        Shape({ key_id: Id('key'), ip: Type.String(), count: Type.Integer(), last_at: Time }),
        { maxItems: 50 },
      ),
    }),
    etag: Type.String(),
  }),
);

const example = {
  mode: 'report_only',
  mode_changed: { at: '2026-02-20T08:00:00.000Z', by: 'Ada Example' },
  version: 4,
  entries: [
    {
      id: 'ale_01jqzv5n2bf6wrk1x8e3m7q9yz',
      cidr: '203.0.113.0/24',
      family: 'ipv4',
      note: 'office',
      expires_at: null,
      last_matched_at: '2026-03-01T10:00:00.000Z',
      created: { at: '2026-02-20T08:00:00.000Z', by: 'Ada Example' },
    },
  ],
  caller: { ip: '203.0.113.7', would_allow: true, matched_entry_id: 'ale_01jqzv5n2bf6wrk1x8e3m7q9yz' },
  would_deny: {
    requests_24h: 3,
    pairs_30d: [
      {
        key_id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
        ip: '198.51.100.9',
        count: 3,
        last_at: '2026-03-01T07:30:00.000Z',
      },
    ],
  },
  etag: 'q3w2c9T1hVb7Zk0m',
};

export const getIpAllowlist = endpoint({
  id: 'getIpAllowlist',
  method: 'GET',
  path: '/account/v1/ip-allowlist',
  summary: 'Get the IP allowlist',
  description:
    'Mode, all entries, the verdict for the caller, and the requests that Enforce would have denied. It can be changed only by a person, not with an API key, so that a leaked key can neither admit an attacker nor lock out the owner.',
  permission: 'account:ip-allowlist:read',
  access: 'read',
  resource: { name: 'ip_allowlist', role: 'read' },
  answers: { 200: IpAllowlist },
  problems: [],
  example: { answer: { status: 200, body: example } },
  async handle({ db, caller, client, now }) {
    const { account } = caller;
    const list = await readAllowlist(db, account.id);
    const wouldDeny = await readWouldDeny(db, account.id);
    const verdict = judgeAddress(account, client.address, now.getTime());
    return ok({
      mode: list.mode,
      mode_changed:
        list.mode_changed_at === null
          ? null
          : { at: list.mode_changed_at.toISOString(), by: list.mode_changed_by ?? '' },
      version: list.version,
      entries: list.entries.map((entry) => ({
        id: entry.id,
        cidr: entry.cidr,
        family: entry.family,
        note: entry.note,
        expires_at: entry.expires_at?.toISOString() ?? null,
        last_matched_at: entry.last_matched_at?.toISOString() ?? null,
        created: { at: entry.created_at.toISOString(), by: entry.created_by },
      })),
      caller: {
        ip: client.address.text,
        would_allow: verdict.wouldAllow,
        matched_entry_id: verdict.matchedEntryId,
      },
      would_deny: {
        requests_24h: wouldDeny.requests,
        pairs_30d: wouldDeny.pairs.map((pair) => ({ ...pair, last_at: pair.last_at.toISOString() })),
      },
      etag: etagOf(account.id, list.version),
    });
  },
});
