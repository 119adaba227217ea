/** Members of a PATCH body that cannot be changed. They are declared, so that sending one gets a 422 with a reason. */
import type { FieldError } from './problems/problem.ts';
import { type TObject, Type } from './schema.ts';

const MARK = 'x-immutable';

export const Immutable = Type.Optional(
  Type.Unsafe<unknown>({
    description: 'It cannot be changed: a value is refused with 422 `immutable`.',
    [MARK]: true,
  }),
);

/** `instead` completes the error detail: what the caller can do instead. */
export function immutableFaults(shape: TObject, body: object, instead: string): FieldError[] {
  return Object.entries(shape.properties)
    .filter(([name, schema]) => MARK in schema && Object.hasOwn(body, name))
    .map(([name]) => ({
      pointer: `/${name}`,
      code: 'immutable',
      detail: `This cannot be changed; ${instead}.`,
    }));
}
