import { ApprovalMode, OpenAccountStatus } from '../../../kernel/access/tables.ts';
import { Family } from '../../../kernel/families.ts';
import {
  byOthers,
  byRule,
  CreatedAt,
  Etag,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';

const contacts = (topic: string) =>
  Type.Array(Type.String({ format: 'email' }), {
    ...byOthers,
    description: `E-mail addresses for ${topic}.`,
  });

export const Profile = Named(
  'Profile',
  Shape({
    id: OwnId('acc'),
    name: Type.String({ description: 'The name of the account, usually that of the company.' }),
    status: OpenAccountStatus,
    currency: Type.String({ description: 'The currency of all prices and costs, as an ISO 4217 code.' }),
    country: Type.String({
      description: 'The country of the account, as an ISO 3166 code with two letters.',
    }),
    // Only names of the time zone database are accepted.
    timezone: Type.String({
      ...byRule,
      description: 'The time zone of the account, such as `Europe/Berlin`. The API uses UTC.',
    }),
    products: Type.Array(
      Shape({
        family: Family,
        enabled: Type.Boolean({ description: 'Whether the account may use the family.' }),
        since: Nullable({
          ...Time,
          description: 'When it was last switched on or off; null if it never was.',
        }),
        reason: Nullable(
          Type.String({ description: 'Why it is off; null if it is on or nobody gave a reason.' }),
        ),
      }),
      { description: 'All product families, and whether the account may use them.' },
    ),
    contacts: Shape(
      {
        technical: contacts('technical notices'),
        abuse: contacts('complaints about abuse'),
        security: contacts('security incidents'),
      },
      { description: 'Whom the provider writes to. Set by a person.' },
    ),
    support_plan: OneOf(
      {
        basic: 'The support that is part of every account.',
        business: 'Support for businesses, as agreed with the provider.',
        premium: 'The highest level of support, as agreed with the provider.',
      },
      { description: 'The level of support of the account.' },
    ),
    key_policy: Shape(
      {
        max_lifetime_days: Nullable(
          Type.Integer({
            'x-unit': 'days',
            description: 'The longest lifetime of a new key; null: no limit.',
          }),
        ),
        non_expiring_allowed: Type.Boolean({
          description: 'Whether new keys may be made that never expire.',
        }),
        default_approval: {
          ...ApprovalMode,
          description: 'The approval mode that new keys get unless it is chosen.',
        },
        mfa_required: Type.Boolean({
          description: 'Whether members need a second factor to sign in.',
        }),
      },
      { description: 'The rules for new API keys. Set by a person.' },
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
);

export type Profile = Static<typeof Profile>;
