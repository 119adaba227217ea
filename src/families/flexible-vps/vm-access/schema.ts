import { Named, Secret, Type } from '../../../kernel/schema.ts';

/** Null if an idempotent request is repeated: secrets are in the first answer only. */
export const Password = Named(
  'Password',
  Secret(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      readOnly: true,
      description: 'Shown only in the first answer; null if that answer is repeated.',
    }),
  ),
);

export const returnedBefore = {
  secret_returned_before: Type.Optional(
    Type.Boolean({ description: 'True if this answer repeats an earlier one. Its secrets are null.' }),
  ),
};
