import { judgeAddress } from '../../../kernel/access/allowlist.ts';
import { AllowlistModeShape } from '../../../kernel/access/tables.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import {
  byOthers,
  Etag,
  Id,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { readAllowlist, readWouldDeny } from './store.ts';

const IpAllowlist = Named(
  'IpAllowlist',
  Shape({
    mode: AllowlistModeShape,
    mode_changed: Nullable(
      Shape(
        {
          at: { ...Time, description: 'When the mode was changed.' },
          by: Type.String({ ...byOthers, description: 'The person who changed it.' }),
        },
        { description: 'The last change of the mode; null if it never changed.' },
      ),
    ),
    version: Type.Integer({
      description: 'A number that grows with each change of the mode or the entries.',
    }),
    entries: Type.Array(
      Shape({
        id: OwnId('ale'),
        cidr: Type.String({
          format: 'cidr',
          description: 'The range of addresses that may call, such as `203.0.113.0/24`.',
        }),
        family: OneOf(
          { ipv4: 'A range of IPv4 addresses.', ipv6: 'A range of IPv6 addresses.' },
          { description: 'The version of the addresses.' },
        ),
        note: Type.String({ ...byOthers, description: 'A text of yours about the range; it may be empty.' }),
        expires_at: Nullable({
          ...Time,
          description: 'When the entry stops counting; null if it does not expire.',
        }),
        last_matched_at: Nullable({
          ...Time,
          description: 'When a call last came from this range; null if none did.',
        }),
        created: Shape(
          {
            at: { ...Time, description: 'When the entry was added.' },
            by: Type.String({ ...byOthers, description: 'The person who added it.' }),
          },
          { description: 'Who added the entry.' },
        ),
      }),
      { description: 'The ranges on the list.' },
    ),
    caller: Shape(
      {
        ip: Type.String({ description: 'Your address, as the server sees it.' }),
        would_allow: Type.Boolean({ description: 'Whether Enforce mode would allow your address.' }),
        matched_entry_id: Nullable(
          Id('ale', { description: 'The entry that contains your address; null if none does.' }),
        ),
      },
      { description: 'What the list says about the address of this call.' },
    ),
    would_deny: Shape(
      {
        requests_24h: Type.Integer({ description: 'How many such calls there were in the last 24 hours.' }),
        pairs_30d: Type.Array(
          Shape({
            key_id: Id('key', { description: 'The key that made the calls.' }),
            ip: Type.String({ description: 'The address that the calls came from.' }),
            count: Type.Integer({ description: 'How many calls there were.' }),
            last_at: { ...Time, description: 'When the last of them was made.' },
          }),
          {
            maxItems: 50,
            description: 'The keys and addresses of such calls in the last 30 days, the latest first.',
          },
        ),
      },
      { description: 'Calls that Report only mode let through and Enforce mode would refuse.' },
    ),
    etag: Etag,
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
