import { DeniedByShape } from '../../../kernel/access/caller.ts';
import { AllowlistModeShape, PublicId } from '../../../kernel/access/tables.ts';
import { DenialCauseShape } from '../../../kernel/denials/store.ts';
import {
  byCatalogue,
  byOthers,
  byProvider,
  keysOf,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { Method } from '../method.ts';

const codeMeanings = {
  permission_denied: 'The key or the role of its owner does not have the permission.',
  product_not_enabled: 'The product family is not enabled for the account.',
  account_restricted: 'The account may not make calls that raise its cost.',
  account_suspended: 'The account is suspended or closing.',
  portal_only: 'Only a person may do this, not an API key.',
  ip_not_allowed: 'The address of the caller is not on the IP allowlist.',
} as const;
export const codes = keysOf(codeMeanings);
export type DenialCode = keyof typeof codeMeanings;

export const KeyDenial = Named(
  'KeyDenial',
  Shape({
    id: OwnId('den'),
    cause: DenialCauseShape,
    code: OneOf(codeMeanings, { description: 'The problem code of the refusal.' }),
    enforced: Type.Boolean({
      description: 'False: the call was let through, because the allowlist was in Report only mode.',
    }),
    allowlist_mode: { ...AllowlistModeShape, description: 'The mode of the IP allowlist at that time.' },
    key: Shape(
      {
        id: OwnId('key'),
        public_id: PublicId,
        name: Type.String({ description: 'The name that the key got when it was created.' }),
      },
      { description: 'The key that made the call.' },
    ),
    client_ip: Type.String({ description: 'The address that the call came from.' }),
    method: Method,
    path_template: Type.String({
      ...byCatalogue,
      description: 'The path of the call, with its parameters in braces.',
    }),
    operation_id: Type.String({ description: 'The `operationId` of the call in this document.' }),
    required_permission: Nullable(
      Type.String({ description: 'The permission that the call needs; null if the address was the cause.' }),
    ),
    denied_by: Nullable(
      Type.Array(DeniedByShape, {
        description: 'What did not grant the permission; null if the address was the cause.',
      }),
    ),
    user_agent: Type.String({ ...byOthers, description: 'The header `User-Agent` of the call.' }),
    count: Type.Integer({ description: 'Number of calls: equal denials within ten minutes share one row.' }),
    first_at: { ...Time, description: 'When the first of these calls was made.' },
    last_at: { ...Time, description: 'When the last of these calls was made.' },
    last_request_id: Type.String({ description: 'The `X-Request-Id` of the last of these calls.' }),
    hint: Type.String({
      ...byProvider,
      description: 'What to do if the call should be allowed, in one sentence.',
    }),
  }),
  { columns: ['last_at', 'cause', 'key', 'client_ip', 'operation_id', 'count'] },
);

export type KeyDenial = Static<typeof KeyDenial>;
