import type { FieldError } from '../kernel/problems/problem.ts';
import { partsOf } from '../kernel/reference.ts';

const valueAt = (body: unknown, pointer: string): unknown =>
  partsOf(pointer).reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
    body,
  );

/** In a merge patch, null removes a member. The error about a member that has to be there says so. */
export const explainRemovals = (body: unknown, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) =>
    error.pointer !== '' && valueAt(body, error.pointer) === null
      ? {
          ...error,
          detail: 'It cannot be removed with null: send a value, or leave it out to keep it as it is.',
        }
      : error,
  );
