/** Shapes that the answers of several acts share. Answers describe what the portal's pages read; they are no public contract. */
import { roleNames } from '../../kernel/access/roles.ts';
import { approvals } from '../../kernel/access/tables.ts';
import { Nullable, OneOf, Shape, type Static, Time, type TSchema, Type } from '../../kernel/schema.ts';

export const Nothing = Shape({});
export const Text = Type.String();
export const Role = OneOf(roleNames);
/** JSON of a library or of a record, which is passed on as it is. */
export const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const Listed = <T extends TSchema>(item: T) =>
  Shape({ data: Type.Array(item), next_cursor: Nullable(Type.String()) });

/** For lists that are always complete. */
export const whole = <T>(data: readonly T[]) => ({ data, next_cursor: null });

export const Warnings = Type.Array(Shape({ code: Text, detail: Text, pointer: Type.Optional(Text) }));

export const SignedInShape = Shape({ status: OneOf(['signed_in']) });
export const Done = Shape({ status: OneOf(['done']) });
export const done = { status: 'done' } as const;

export const KeyShape = Shape({
  id: Text,
  public_id: Text,
  name: Text,
  status: OneOf(['active', 'suspended', 'expired', 'revoked']),
  permissions: Type.Array(Text),
  preset: Nullable(Text),
  approval: OneOf(approvals),
  approval_over_monthly: Nullable(Text),
  owner: Shape({ member_id: Nullable(Text), name: Text }),
  expires_in: Text,
  expires_at: Nullable(Time),
  notes: Text,
  last_used: Nullable(
    Shape({ at: Time, ip: Nullable(Text), user_agent: Nullable(Text), operation_id: Nullable(Text) }),
  ),
  last_rejected: Nullable(Shape({ at: Time, ip: Nullable(Text), code: Nullable(Text) })),
  exposed_at: Nullable(Time),
  replaced_by: Nullable(Text),
  revoked: Nullable(Shape({ at: Time, by: Nullable(Text), reason: Nullable(Text), comment: Nullable(Text) })),
  version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
});

export type KeyAnswer = Static<typeof KeyShape>;

export const MemberShape = Shape({
  id: Text,
  name: Text,
  email: Text,
  role: Role,
  status: OneOf(['invited', 'active', 'suspended']),
  mfa_enabled: Type.Boolean(),
  last_sign_in_at: Nullable(Time),
  /** Whether somebody signs in as this member. */
  has_person: Type.Boolean(),
  created_at: Time,
});

export const EntryShape = Shape({
  id: Text,
  cidr: Text,
  note: Text,
  expires_at: Nullable(Time),
  live: Type.Boolean(),
  last_matched_at: Nullable(Time),
  created: Shape({ at: Time, by: Text }),
});
