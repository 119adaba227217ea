/** Effects as dry runs, requests for approval and audit entries show them. */
import { Named, Nullable, OneOf, Shape, type Static, Type } from './schema.ts';

export const constructiveActions = ['create', 'update', 'attach', 'start'] as const;

/** Actions that take something away: data, a connection, a running system. Their effects say what is lost. */
export const destructiveActions = ['delete', 'wipe_disk', 'detach', 'stop', 'restart', 'cancel'] as const;

const Loss = Shape({
  what: Type.String({ description: 'What is lost, as a sentence.' }),
  recoverable: Type.Boolean({ description: 'Whether another call can bring it back.' }),
});
export type Loss = Static<typeof Loss>;

/** One effect as dry runs, requests for approval and audit entries show it. */
export const EffectView = Named(
  'Effect',
  Shape({
    action: OneOf([...constructiveActions, ...destructiveActions], {
      description: '`delete`, `wipe_disk`, `detach`, `stop`, `restart` and `cancel` take something away.',
    }),
    type: Type.String(),
    id: Nullable(Type.String({ description: '`null`: the resource does not exist yet.' })),
    name: Nullable(Type.String()),
    loss: Nullable(Loss),
  }),
);
export type EffectView = Static<typeof EffectView>;
