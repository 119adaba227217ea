/** What every member of a form may need, wherever it is. */
import { createContext } from 'react';
import type { Resolve } from './document.ts';

export interface FormFacts {
  readonly resolve: Resolve;
  /** The whole body, for pickers whose choices depend on other members. */
  readonly body: unknown;
  readonly path: Readonly<Record<string, string>>;
  readonly faults: (pointer: string) => string | undefined;
  /** Whether something is wrong in the member, which may be folded. */
  readonly isFaulty?: (pointer: string) => boolean;
  /** Told when a person changes the value at the pointer, so that what was wrong there is not said any longer. */
  readonly changed?: (pointer: string) => void;
  /** Told which faults a field shows; returns what to call when the field is gone. */
  readonly shows?: (pointer: string) => () => void;
  /** The body is a merge patch that a person writes, without what was read: members can also be set to null. */
  readonly patch?: boolean;
  /** What a choice is called that nobody has made; "Leave out" if this is not said. Then nothing is called optional. */
  readonly unset?: string;
  /** The address of the page that creates what the list lacks; undefined if there is none. */
  readonly createPath?: (list: string) => string | undefined;
}

export const Facts = createContext<FormFacts>({
  resolve: (schema) => schema,
  body: {},
  path: {},
  faults: () => undefined,
});
