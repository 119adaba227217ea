/** Effects as dry runs, requests for approval and audit entries show them. */
import { byProvider, keysOf, Named, Nullable, OneOf, Shape, type Static, Type } from './schema.ts';

const constructive = {
  create: 'The resource comes into being.',
  update: 'Members of the resource change.',
  attach: 'The resource is connected to another one.',
  start: 'A machine starts, or a console of it is opened.',
} as const;

const destructive = {
  delete: 'The resource is removed, or a key stops working for good.',
  wipe_disk: 'The content of the disk is replaced.',
  detach: 'The resource loses a connection, such as an interface or an address.',
  stop: 'A running machine stops.',
  restart: 'A running machine stops and starts again.',
  cancel: 'Work that has begun is given up.',
} as const;

export type ConstructiveAction = keyof typeof constructive;

/** Actions that take something away: data, a connection, a running system. Their effects say what is lost. */
export const destructiveActions = keysOf(destructive);
export type DestructiveAction = keyof typeof destructive;

const Loss = Shape(
  {
    what: Type.String({ ...byProvider, description: 'What is lost, as a sentence.' }),
    recoverable: Type.Boolean({ description: 'Whether another call can bring it back.' }),
  },
  { description: 'What the effect takes away; null if nothing.' },
);
export type Loss = Static<typeof Loss>;

/** One effect as dry runs, requests for approval and audit entries show it. */
export const EffectView = Named(
  'Effect',
  Shape({
    action: OneOf(
      { ...constructive, ...destructive },
      {
        description:
          'What happens. `delete`, `wipe_disk`, `detach`, `stop`, `restart` and `cancel` take something away.',
      },
    ),
    type: Type.String({ description: 'The type of the resource, such as `vm`.' }),
    id: Nullable(Type.String({ description: 'The id of the resource; null if it does not exist yet.' })),
    name: Nullable(Type.String({ description: 'The name of the resource; null if it has none.' })),
    loss: Nullable(Loss),
  }),
);
export type EffectView = Static<typeof EffectView>;
