/** The body of an estimate: what to price. */

import { Ref } from '../../kernel/reference.ts';
import {
  advanced,
  label,
  Named,
  Nullable,
  Shape,
  Slug,
  type Static,
  Type,
  unlessSent,
} from '../../kernel/schema.ts';
import { written } from '../../kernel/text-patterns.ts';
import { CONFIGURATION, Configuration } from './members.ts';
import { ExpectedUsage } from './usage.ts';

const EstimateRequestItem = Named(
  'EstimateRequestItem',
  Shape({
    ref: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'A name of yours for the item, unique in the request and returned in the answer. Default: none.',
      }),
    ),
    resource_type: Ref(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'What to price: a `resource_type` of the price list, such as `vm`.',
      }),
      { list: 'listPrices', value: 'resource_type', label: 'resource_type' },
    ),
    configuration: Type.Optional({
      ...Configuration,
      ...unlessSent('change'),
      description: `${CONFIGURATION} Required without \`change\`.`,
    }),
    change: Type.Optional(
      Shape(
        {
          resource_id: Ref(
            Type.String({
              minLength: 1,
              maxLength: 90,
              description: 'The id of the resource of yours that would change.',
            }),
            {
              list: 'listResources',
              value: 'id',
              label: 'name',
              filters: { type: { from: '/items/*/resource_type' } },
            },
          ),
          configuration: Nullable({
            ...Configuration,
            description:
              'The members that would change, as in the create call; null: the resource would be deleted.',
          }),
        },
        {
          ...unlessSent('configuration'),
          description:
            'Prices the change of a resource instead of a new one. Send it without `configuration`.',
        },
      ),
    ),
    quantity: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 1,
        description: 'How many equal resources to price.',
      }),
    ),
    hours_per_month: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 730,
        default: 730,
        'x-unit': 'hours',
        ...label('Hours of use'),
        ...advanced,
        description: 'How many hours of a month the resource runs. Only hourly prices depend on it.',
      }),
    ),
    usage: Type.Optional(ExpectedUsage),
  }),
);

export const EstimateRequest = Named(
  'EstimateRequest',
  Shape({
    items: Type.Array(EstimateRequestItem, { minItems: 1, maxItems: 50, description: 'What to price.' }),
    contract_months: Type.Optional(
      Type.Unsafe<1 | 12 | 24>({
        type: 'integer',
        enum: [1, 12, 24],
        'x-enum-descriptions': [
          'Ends with each month.',
          'A contract for one year.',
          'A contract for two years.',
        ],
        default: 1,
        'x-unit': 'months',
        ...label('Contract'),
        ...advanced,
        description: 'The term of the contract. Only products with contracts depend on it.',
      }),
    ),
    currency: Type.Optional(
      Type.String({
        ...written('^[A-Z]{3}$', 'Must be a currency as three capital letters, such as EUR.'),
        description: 'The currency of the account, which is the default. Others are refused.',
      }),
    ),
    compare_locations: Type.Optional(
      Type.Array(Ref(Slug, { list: 'listVpsLocations', value: 'slug', label: 'name' }), {
        maxItems: 10,
        uniqueItems: true,
        default: [],
        description:
          'Locations for which the answer also shows what the same items would cost. Default: none.',
      }),
    ),
  }),
);

export type EstimateRequest = Static<typeof EstimateRequest>;
export type EstimateRequestItem = Static<typeof EstimateRequestItem>;
