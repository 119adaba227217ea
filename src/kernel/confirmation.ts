/** The name that a caller repeats in `confirm`, so that a wrong id in a script destroys nothing. */
import { invalid } from './problems/problem.ts';
import { Type } from './schema.ts';

interface Confirmed {
  /** What is lost, as a sentence. */
  readonly loss: string;
  /** The resource whose name the caller repeats: `machine`. */
  readonly type: string;
  readonly name: string;
  readonly pointer: '/confirm' | 'query/confirm';
}

/** Optional in the schema, so that a missing confirmation gets its own error code and explanation. */
export const Confirm = (description: string, marks: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description, ...marks }));

/** Throws 422 unless the caller repeats the name. */
export function requireConfirmation(
  confirm: string | undefined,
  { loss, type, name, pointer }: Confirmed,
): void {
  if (confirm === name) return;
  if (confirm === undefined) {
    const detail = `${loss} To confirm, set confirm to the name of the ${type}.`;
    throw invalid([{ pointer, code: 'confirmation_missing', detail }]);
  }
  const detail = `This is not the name of the ${type}. Check that you chose the right ${type}, then send its name.`;
  throw invalid([{ pointer, code: 'confirmation_mismatch', detail }]);
}
