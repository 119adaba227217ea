/** The answers that pages of the portal read. They stand apart from the acts, so that the portal takes their types without the server. */
import { lifetimes } from '../../kernel/access/lifetimes.ts';
import { allowlistModes, approvals } from '../../kernel/access/tables.ts';
import { ForeseenChange } from '../../kernel/change-words/change-words.ts';
import { EffectView } from '../../kernel/effect-view.ts';
import { Nullable, OneOf, Secret, Shape, type Static, Time, Type } from '../../kernel/schema.ts';
import { themes } from '../../portal-api/people/tables.ts';
import { Anything, EntryShape, KeyShape, Listed, MemberShape, Role, Text, Warnings } from './shapes.ts';

export const Me = Shape({
  person: Shape({
    id: Text,
    name: Text,
    email: Text,
    theme: OneOf(themes),
    has_password: Type.Boolean(),
    has_passkey: Type.Boolean(),
  }),
  session: Shape({
    id: Text,
    created_at: Time,
    expires_at: Time,
    reauthenticated_until: Nullable(Time),
    second_factor: Type.Boolean(),
  }),
  accounts: Type.Array(
    Shape({
      id: Text,
      name: Text,
      status: Text,
      role: Role,
      member_id: Text,
      mfa_required: Type.Boolean(),
    }),
  ),
  needs_second_factor: Type.Boolean(),
});
export type MeAnswer = Static<typeof Me>;

export const WithSecret = Shape({ key: KeyShape, secret: Secret(Text), warnings: Warnings });
export type NewKeyAnswer = Static<typeof WithSecret>;

export const Summary = Shape({
  counts: Shape({
    active: Type.Integer(),
    suspended: Type.Integer(),
    expired: Type.Integer(),
    revoked: Type.Integer(),
  }),
  /** Whether one of the keys was ever used. */
  used: Type.Boolean(),
  exposed: Type.Array(Shape({ id: Text, name: Text })),
  ending: Type.Array(Shape({ id: Text, name: Text, expires_at: Nullable(Time) })),
});
export type KeySummaryAnswer = Static<typeof Summary>;

export const Policy = Shape({
  max_lifetime_days: Nullable(Type.Integer()),
  non_expiring_allowed: Type.Boolean(),
  default_approval: OneOf(approvals),
  keys_suspended: Type.Boolean(),
});

export const Access = Listed(
  Shape({
    operation_id: Text,
    callable: Type.Boolean(),
    reason: Type.Optional(OneOf(['key', 'role', 'product', 'account_status', 'key_status'])),
    missing_permission: Type.Optional(Text),
  }),
);
export type AccessAnswer = Static<typeof Access>;

const Option = Shape({
  pattern: Text,
  access: Text,
  summary: Text,
  sensitive: Type.Boolean(),
  allowed: Type.Boolean(),
});

export const Options = Shape({
  presets: Type.Array(
    Shape({
      id: Text,
      title: Text,
      description: Text,
      permissions: Type.Array(Text),
      /** What a key of this preset gets if nothing else is chosen; null: what the account says. */
      approval: Nullable(OneOf(approvals)),
      expires_in: Nullable(OneOf(lifetimes)),
    }),
  ),
  families: Type.Array(
    Shape({
      id: Text,
      title: Text,
      resources: Type.Array(Shape({ id: Text, title: Text, permissions: Type.Array(Option) })),
    }),
  ),
  lifetimes: Type.Array(OneOf(lifetimes)),
  default_lifetime: OneOf(lifetimes),
  approval_modes: Type.Array(OneOf(approvals)),
  policy: Policy,
});
export type KeyOptionsAnswer = Static<typeof Options>;

export const Allowlist = {
  mode: OneOf(allowlistModes),
  mode_changed: Nullable(Shape({ at: Time, by: Nullable(Text) })),
  version: Type.Integer(),
  entries: Type.Array(EntryShape),
  /** The address from which the person uses the portal. */
  my_address: Text,
};

export const AllowlistShape = Shape(Allowlist);
export type AllowlistAnswer = Static<typeof AllowlistShape>;

export const Preview = {
  would_deny: Type.Array(
    Shape({ key_id: Text, key_name: Text, client_ip: Text, count: Type.Integer(), last_at: Time }),
  ),
  warnings: Warnings,
};

export const PreviewShape = Shape(Preview);
export type PreviewAnswer = Static<typeof PreviewShape>;

export const Approval = Shape({
  operation_id: Text,
  status: Text,
  key: Shape({ id: Text, name: Nullable(Text), owner: Nullable(Text) }),
  call: Shape({
    operation_id: Text,
    summary: Nullable(Text),
    /** Deletes or overwrites something, loses something for good, or takes a protection away. */
    destructive: Type.Boolean(),
    method: Text,
    path: Text,
    query: Anything,
    /** Without secrets. */
    body: Type.Unknown(),
  }),
  effects: Type.Array(EffectView),
  /** In words; null if the request is older than these words. */
  changes: Nullable(Type.Array(ForeseenChange)),
  cost: Shape({ hourly: Text, monthly: Text, currency: Text }),
  requested_at: Time,
  expires_at: Time,
  decision: Nullable(OneOf(['approved', 'denied'])),
  decided_by: Nullable(Text),
  decided_at: Nullable(Time),
  /** What the key was told, if it may not make the call. */
  told: Nullable(Text),
  usable_until: Nullable(Time),
  used_at: Nullable(Time),
});
export type ApprovalAnswer = Static<typeof Approval>;

export const ListedMember = Shape({ ...MemberShape.properties, key_count: Type.Integer() });
export type MemberAnswer = Static<typeof ListedMember>;

export const Invitation = Shape({
  id: Text,
  member_id: Text,
  name: Text,
  email: Text,
  role: Role,
  inviter: Text,
  sent_at: Time,
  expires_at: Time,
  expired: Type.Boolean(),
});
export type InvitationAnswer = Static<typeof Invitation>;

export const Security = Shape({
  password_set: Type.Boolean(),
  totp: Shape({ enabled: Type.Boolean(), since: Nullable(Time) }),
  passkeys: Type.Array(Shape({ id: Text, name: Text, created_at: Time, last_used_at: Nullable(Time) })),
  recovery_codes: Shape({ left: Type.Integer() }),
  sessions: Type.Array(
    Shape({
      id: Text,
      current: Type.Boolean(),
      created_at: Time,
      last_seen_at: Time,
      address: Text,
      user_agent: Text,
    }),
  ),
});
export type SecurityAnswer = Static<typeof Security>;

export const Site = Shape({
  provider: Shape({
    name: Text,
    logo_url: Nullable(Text),
    accent: Nullable(Text),
    support_url: Text,
    terms_url: Nullable(Text),
    privacy_url: Nullable(Text),
  }),
  sign_up: OneOf(['open', 'invited', 'closed']),
  signed_in: Type.Boolean(),
  api_base_url: Text,
  spec_etag: Text,
  mail: OneOf(['smtp', 'files']),
});
export type SiteAnswer = Static<typeof Site>;

export const FoundOperations = Shape({
  /** What the words speak of and the API does not have. */
  note: Nullable(Text),
  /** The best first. */
  operation_ids: Type.Array(Text),
  /** If there are none: the operations to begin with in the nearest topics. */
  near_operation_ids: Type.Array(Text),
});
export type FoundOperationsAnswer = Static<typeof FoundOperations>;

export const Happenings = Listed(
  Shape({
    id: Text,
    type: Text,
    occurred_at: Time,
    last_at: Time,
    count: Type.Integer(),
    client_ip: Nullable(Text),
    user_agent: Nullable(Text),
    data: Anything,
  }),
);
export type HappeningsAnswer = Static<typeof Happenings>;
