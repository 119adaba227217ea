import { Family } from '../../kernel/families.ts';
import { Ref } from '../../kernel/reference.ts';
import {
  advanced,
  Description,
  Id,
  label,
  Named,
  Nullable,
  Shape,
  type Static,
  Type,
  when,
} from '../../kernel/schema.ts';
import { written } from '../../kernel/text-patterns.ts';
import { ActionShape, BasisShape, BlockingShape } from './budget.ts';

const amount = Type.Unsafe<string>({
  type: 'string',
  ...written(
    '^(0|[1-9]\\d{0,7})(\\.\\d{1,2})?$',
    'Write an amount with at most two decimals after a point, such as 50 or 49.90.',
  ),
  'x-unit': 'currency/month',
  description:
    'The most to spend in a month, from 0.01 to 10000000, with at most two decimals. Stored as an amount with two decimals.',
});

const email = Type.Unsafe<string>({
  type: 'string',
  format: 'email',
  maxLength: 254,
  ...written('^[^@\\s]+@[^@\\s]+$', 'Must be an email address, such as you@example.com.'),
});

const threshold = Shape({
  percent: Type.Integer({
    minimum: 1,
    maximum: 200,
    'x-unit': 'percent',
    description: 'The part of the amount at which an event and e-mails are sent.',
  }),
  basis: Type.Optional({ ...BasisShape, default: 'actual' }),
});

/** The list of API keys that `src/families/account` offers. */
const API_KEYS = { list: 'listApiKeys', value: 'id', label: 'name' };

const scope = Shape({
  families: Type.Optional({
    ...Nullable(
      Type.Array(Family, {
        minItems: 1,
        maxItems: 9,
        uniqueItems: true,
        description: 'Only cost of these product families; null: of all.',
      }),
    ),
    default: null,
  }),
  label_selector: Type.Optional({
    ...Nullable(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'Only cost of resources whose labels match, such as `env=prod,!legacy`; null: of all.',
      }),
    ),
    default: null,
  }),
  api_key_ids: Type.Optional({
    ...Nullable(
      Type.Array(Ref(Id('key'), API_KEYS), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        ...label('API keys'),
        description: 'Only cost of resources that these keys created; null: of all.',
      }),
    ),
    default: null,
  }),
});

export const SetBudget = Named(
  'SetBudget',
  Shape({
    amount,
    currency: Type.Optional(
      Type.String({
        ...written('^[A-Z]{3}$', 'Must be a currency as three capital letters, such as EUR.'),
        ...advanced,
        description: 'The currency of the account, which is the default.',
      }),
    ),
    scope: Type.Optional({
      ...scope,
      default: {},
      description: 'Which costs count: all given members must match. Left out: the whole account.',
    }),
    thresholds: Type.Array(threshold, {
      minItems: 1,
      maxItems: 5,
      description: 'When to warn. Each threshold warns once a month.',
    }),
    action: Type.Optional({ ...ActionShape, default: 'notify' }),
    blocks: Type.Optional({
      ...BlockingShape,
      ...when('action', 'block_new_cost'),
      ...advanced,
      default: 'forecast',
    }),
    emails: Type.Optional(
      Type.Array(Ref(email, { list: 'listMembers', value: 'email', label: 'name' }), {
        maxItems: 10,
        uniqueItems: true,
        default: [],
        description: 'Who gets an e-mail at a threshold: members or contacts of the account.',
      }),
    ),
    description: Type.Optional({ ...Description, default: '' }),
  }),
);
export type SetBudget = Static<typeof SetBudget>;
