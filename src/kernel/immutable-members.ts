/** Members of a change that cannot be changed: named, so that whoever sends one is told why not, whatever they send. */
import type { FieldError } from './problems/problem.ts';
import { type TObject, Type } from './schema.ts';

const MARK = 'x-immutable';

export const Immutable = Type.Optional(
  Type.Unsafe<unknown>({ description: 'Cannot be changed: 422 `immutable`.', [MARK]: true }),
);

/** `instead` is what to do about it. */
export function immutableFaults(shape: TObject, body: object, instead: string): FieldError[] {
  return Object.entries(shape.properties)
    .filter(([name, schema]) => MARK in schema && Object.hasOwn(body, name))
    .map(([name]) => ({
      pointer: `/${name}`,
      code: 'immutable',
      detail: `This cannot be changed; ${instead}.`,
    }));
}
