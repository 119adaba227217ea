import { familyNames } from '../../kernel/families.ts';
import { Ref } from '../../kernel/reference.ts';
import { Id, Named, Nullable, OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import { actions, bases, blockings } from './budget.ts';

const amount = Type.Unsafe<string>({
  type: 'string',
  pattern: '^(0|[1-9]\\d{0,7})(\\.\\d{1,2})?$',
  description: 'The most to spend in a month, from 0.01 to 10000000, with at most two decimals.',
});

const email = Type.Unsafe<string>({ type: 'string', maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$' });

const threshold = Shape({
  percent: Type.Integer({ minimum: 1, maximum: 200 }),
  basis: Type.Optional(
    OneOf(bases, { default: 'actual', description: 'The cost so far, or the forecast for the month.' }),
  ),
});

/** The list of API keys that `src/families/account` offers. */
const API_KEYS = { list: 'listApiKeys', value: 'id', label: 'name' };

const scope = Shape({
  families: Type.Optional(
    Nullable(Type.Array(OneOf(familyNames), { minItems: 1, maxItems: 9, uniqueItems: true })),
  ),
  label_selector: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 1000, description: 'Such as `env=prod,!legacy`.' })),
  ),
  api_key_ids: Type.Optional(
    Nullable(Type.Array(Ref(Id('key'), API_KEYS), { minItems: 1, maxItems: 20, uniqueItems: true })),
  ),
});

export const SetBudget = Named(
  'SetBudget',
  Shape({
    amount,
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'The currency of the account, which is the default.',
      }),
    ),
    scope: Type.Optional({
      ...scope,
      description: 'Which costs count: all given members must match. Left out or null: the whole account.',
    }),
    thresholds: Type.Array(threshold, { minItems: 1, maxItems: 5 }),
    action: Type.Optional(
      OneOf(actions, {
        default: 'notify',
        description: '`block_new_cost` refuses calls in scope that add cost, as `blocks` says.',
      }),
    ),
    blocks: Type.Optional(
      OneOf(blockings, {
        default: 'forecast',
        description:
          'Which calls `block_new_cost` refuses. `forecast`: calls whose monthly price does not fit into the amount beside all that runs or is being created, each counted for a whole month, and what this month has cost otherwise. `spent`: calls made after the amount is spent.',
      }),
    ),
    emails: Type.Optional(
      Type.Array(Ref(email, { list: 'listMembers', value: 'email', label: 'name' }), {
        maxItems: 10,
        uniqueItems: true,
        description: 'Members or contacts of the account.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 255 })),
  }),
);
export type SetBudget = Static<typeof SetBudget>;
