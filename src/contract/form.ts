/** What a family adds to the contract of the whole API. */

export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly when: string;
  /** What the caller should do next: one sentence, sent with every answer of this code. */
  readonly next_step: string;
  readonly retryable?: true;
  /** Members that answers of this code have in addition to those of every problem. */
  readonly extra?: readonly string[];
  /** Only people get this code, in the portal or at the command line; the public OpenAPI document omits it. */
  readonly portalOnly?: true;
}

type Verb = 'read' | 'write' | 'delete';

/** Ready-made permissions for keys. */
export interface FamilyPreset {
  readonly title: string;
  readonly description: string;
  readonly patterns: readonly string[];
  /** The key may also read all products. */
  readonly readsProducts?: true;
}

export interface FamilyContract {
  /** The first part of the paths and permissions of the family. */
  readonly name: string;
  readonly meaning: string;
  /** The number of endpoints that the family has when it is complete. */
  readonly endpoints: number;
  /** Permissions of the contract that no endpoint requires yet. An endpoint that is built takes its own from here. */
  readonly planned?: Readonly<Record<string, readonly Verb[]>>;
  readonly problems?: Readonly<Record<string, ProblemDefinition>>;
  /** Codes of errors about one field of a request, with their meaning. */
  readonly fieldCodes?: Readonly<Record<string, string>>;
  readonly presets?: Readonly<Record<string, FamilyPreset>>;
  /** Patterns that the family adds to presets of other families. */
  readonly addsToPresets?: Readonly<Record<string, readonly string[]>>;
  /** What the role Developer may delete, although it deletes nothing else: nouns of permissions. */
  readonly developersDelete?: readonly string[];
  /** What the role Developer may not change, although it changes everything else: nouns of permissions. */
  readonly developersDoNotWrite?: readonly string[];
}
