/**
 * Lists across families show a row only to keys that may read its resource. The answer names the omitted resource
 * types, so that a client does not mistake "no permission" for "nothing exists".
 */
import type { Subject } from '../registry.ts';
import { Named, Shape, type Static, Type } from '../schema.ts';
import { type Caller, holds } from './caller.ts';
import { IMPLICIT } from './permissions.ts';

export const Omitted = Named(
  'Omitted',
  Shape(
    {
      family: Type.String({ description: 'The product family of the hidden type.' }),
      resource_type: Type.String({ description: 'The type whose rows are hidden, such as `vm`.' }),
      missing_permission: Type.String({
        description: 'The permission that the key needs to see these rows.',
      }),
    },
    { description: 'A type of resources that this key may not read.' },
  ),
);

export const OmittedTypes = Named(
  'OmittedTypes',
  Type.Array(Omitted, { description: 'The types of resources whose rows this key may not see.' }),
);

export interface Sight {
  /** The types of resources whose rows may be shown. */
  readonly visible: string[];
  readonly omitted: Static<typeof Omitted>[];
}

export function maySee(caller: Caller, subject: Subject | undefined): boolean {
  return (
    subject !== undefined && (IMPLICIT.includes(subject.permission) || holds(caller, subject.permission))
  );
}

export function sightOf(caller: Caller, types: Iterable<readonly [string, Subject]>): Sight {
  const asked = [...types];
  const hidden = asked.filter(([, subject]) => !maySee(caller, subject));
  return {
    visible: asked.filter((type) => !hidden.includes(type)).map(([type]) => type),
    omitted: hidden.map(([resource_type, { family, permission }]) => ({
      family,
      resource_type,
      missing_permission: permission,
    })),
  };
}
