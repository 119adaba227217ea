/** What every field of a form is given. */
import type { Schema } from './document.ts';

export type Change = (value: unknown) => void;

export interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly change: Change;
  /** Where the value is in the request, such as `/rules/3/ports` or `query/limit`. */
  readonly pointer: string;
}

export interface FormProps {
  readonly schema: Schema;
  readonly value: unknown;
  readonly change: Change;
  readonly pointer?: string;
}

/** Lists and maps that became empty: as if nobody had filled them, unless that is not the same. */
export const orLeftOut = (list: readonly unknown[], schema: Schema): readonly unknown[] | undefined =>
  list.length > 0 ||
  (schema['default'] === undefined && !schema['nullable'] && schema['minItems'] === undefined)
    ? list
    : undefined;
