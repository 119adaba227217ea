/**
 * Lists that span families show a row to keys that may read what it is about. What was withheld is named, so that
 * nobody reads "nothing exists" out of "you may not look".
 */
import type { Subject } from '../registry.ts';
import { Named, Shape, type Static, Type } from '../schema.ts';
import { type Caller, holds } from './caller.ts';
import { IMPLICIT } from './permissions.ts';

export const Omitted = Named(
  'Omitted',
  Shape({ family: Type.String(), resource_type: Type.String(), missing_permission: Type.String() }),
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
