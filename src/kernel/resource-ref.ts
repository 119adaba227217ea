import { Named, Nullable, Shape, Type } from './schema.ts';

/** Refers to a resource in effects, audit entries, events and operations. */
export interface ResourceRef {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

export const ResourceReference = Named(
  'ResourceReference',
  Shape(
    {
      type: Type.String({ description: 'The type of the resource, such as `vm`.' }),
      id: Nullable(Type.String({ description: 'The id of the resource; null if it has none.' })),
      name: Nullable(
        Type.String({ description: 'The name of the resource at that time; null if it has none.' }),
      ),
    },
    { description: 'The resource that this is about.' },
  ),
);
