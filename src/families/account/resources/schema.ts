import { OperationStatusShape } from '../../../kernel/operations/schema.ts';
import {
  CreatedAt,
  Labels,
  Named,
  Nullable,
  OwnId,
  Price,
  Shape,
  type Static,
  Type,
} from '../../../kernel/schema.ts';

export const ResourceSummary = Named(
  'ResourceSummary',
  Shape({
    id: Type.String({ description: 'The id of the resource, such as `vm_01jq…`.' }),
    type: Type.String({ description: 'The kind of resource, such as `vm` or `network`.' }),
    family: Type.String({ description: 'The product family that the resource belongs to.' }),
    name: Type.String({ description: 'The name of the resource; it may be empty.' }),
    status: Type.String({ description: 'The state of the resource; its type decides the values.' }),
    location: Nullable(Type.String({ description: 'The slug of its location; null if it has none.' })),
    labels: Labels,
    parent_id: Nullable(
      Type.String({
        description: 'The resource that it is a part of, such as the machine of a snapshot; null if none.',
      }),
    ),
    operation: Nullable(
      Shape(
        {
          id: OwnId('op'),
          type: Type.String({ description: 'The kind of operation, such as `vm.resize`.' }),
          status: OperationStatusShape,
        },
        {
          description: 'The operation that works on the resource now; null if it is idle.',
        },
      ),
    ),
    price: Nullable({
      ...Price,
      description: 'What the resource costs in its present state, as it is billed. Null: nothing is billed.',
    }),
    price_running: Nullable({
      ...Price,
      description: 'For a resource that can be stopped: what it costs while it runs. Null for others.',
    }),
    price_stopped: Nullable({
      ...Price,
      description: 'For a resource that can be stopped: what it costs while it is stopped. Null for others.',
    }),
    href: Type.String({
      format: 'uri',
      description: 'The URL of the resource, which returns all its members.',
    }),
    created_at: CreatedAt,
  }),
  { columns: ['name', 'type', 'status', 'location', 'price', 'created_at'] },
);

export type ResourceSummary = Static<typeof ResourceSummary>;
