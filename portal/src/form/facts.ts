/** What every member of a form may need, wherever it is. */
import { createContext } from 'react';
import type { Schema } from './document.ts';

interface FormFacts {
  readonly resolve: (schema: Schema) => Schema;
  /** The whole body, for pickers whose choices depend on other members. */
  readonly body: unknown;
  readonly path: Readonly<Record<string, string>>;
  readonly faults: (pointer: string) => string | undefined;
}

export const Facts = createContext<FormFacts>({
  resolve: (schema) => schema,
  body: {},
  path: {},
  faults: () => undefined,
});
