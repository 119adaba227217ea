/** An operation of the document, as commands need it. */

import type { Words } from '../../../src/surfaces/cli-package/command-words.ts';
import type { Schema } from './schema.ts';

/** Which resource the call is about (`x-resource`). docs/specification.md explains it. */
export interface ResourceMark {
  readonly name: string;
  readonly role: string;
  readonly parameter?: string;
  readonly parent?: { readonly name: string; readonly parameter: string };
  readonly key?: string;
  readonly read?: { readonly operation: string; readonly in?: string; readonly filter?: string };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  readonly words: Words;
  readonly resource: ResourceMark;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** A body that the document shows as an example. */
  readonly example: unknown;
  readonly access: string;
  /** Its dry run may say that the call opens more than before or takes a protection away. */
  readonly mayLoosen: boolean;
  readonly permission: string | undefined;
  /** Set if the call starts an operation, which can be waited for. */
  readonly work: { readonly kind: string; readonly typical_seconds: number } | undefined;
  /** The schema of the answer on success. */
  readonly answer: Schema;
  readonly streams: boolean;
  /** The media types of the answer beside JSON. */
  readonly formats: readonly string[];
  /** What a required member of the body chooses between. */
  readonly choices: readonly Choice[];
  /** Set if the command stands for one of the choices. */
  readonly choice?: Choice;
}

/** One of the things that a call can do, which is a command of its own. */
export interface Choice {
  readonly member: string;
  readonly value: string;
  readonly summary: string;
  /** The member that belongs to this choice alone; it may also be typed as the last argument: `volume attach data web`. */
  readonly argument?: { readonly member: string; readonly name: string; readonly description: string };
  /** The call takes something away, so it has to be confirmed. */
  readonly isDestructive: boolean;
}
