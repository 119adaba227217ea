/** What a command is: its words, its arguments and its flags. Help, parsing and completion all read this. */
import type { Reference, Schema } from './document/schema.ts';

export type FlagKind = 'switch' | 'text' | 'integer' | 'number' | 'json' | 'map' | 'object';

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly kind: FlagKind;
  readonly short?: string;
  /** Another name, also without the dashes. */
  readonly alias?: string;
  readonly description: string;
  /** Words of the API that are typed as they are, such as the members of an object. Help adds them to the description. */
  readonly literal?: string;
  /** What the value is, for help: `<integer>`. */
  readonly placeholder?: string;
  readonly isRepeatable?: boolean;
  readonly isRequired?: boolean;
  /** Help shows it only if it is asked for all flags. */
  readonly isAdvanced?: boolean;
  /** Accepted, and left out of help and completion. */
  readonly isHidden?: boolean;
  readonly values?: readonly string[];
  readonly valueDescriptions?: readonly string[];
  /** Values beside these are accepted, too. */
  readonly isOpen?: boolean;
  readonly default?: string | undefined;
  readonly reference?: Reference | undefined;
  readonly schema?: Schema;
}

export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** It takes all further words. */
  readonly isRest?: boolean;
  readonly values?: readonly string[];
  /** The list whose names are completed. */
  readonly reference?: Reference;
}

/** The flags that were given, by name; a switch has the values `true` or `false`. */
export type Given = ReadonlyMap<string, readonly string[]>;

export interface CommandShape {
  /** What is typed after `hostplane`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly args: readonly Argument[];
  readonly flags: readonly Flag[];
}

export const last = (given: Given, name: string): string | undefined => given.get(name)?.at(-1);
export const isOn = (given: Given, name: string): boolean => last(given, name) === 'true';

/** The flags that every command takes. */
export const globalFlags: readonly Flag[] = [
  {
    name: 'context',
    kind: 'text',
    description: 'Use the server and key of this context (HOSTPLANE_CONTEXT).',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    values: ['table', 'wide', 'json', 'yaml', 'name'],
    description: 'The form of the output.',
    default: 'table',
  },
  {
    name: 'query',
    kind: 'text',
    placeholder: '<path>',
    description: 'Print only this part of the answer, such as `[].id` or `price.monthly`.',
  },
  {
    name: 'ca-file',
    kind: 'text',
    placeholder: '<file>',
    description: 'Also trust the authorities whose certificates are in this file.',
  },
  {
    name: 'retry',
    kind: 'switch',
    description: 'Wait and repeat a call when the server says so; --no-retry gives up at once.',
    default: 'true',
  },
  { name: 'verbose', kind: 'switch', description: 'Print each request and its id to stderr.' },
  { name: 'help', short: 'h', kind: 'switch', description: 'Show how the command is used.' },
];

export const globalNames: ReadonlySet<string> = new Set(globalFlags.map(({ name }) => name));
