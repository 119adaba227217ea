/** The form of `x-states`. */
export interface PublishedStates {
  readonly transient: readonly string[];
  /** By state: the ids of the endpoints that are accepted, of those that are not accepted in every state. */
  readonly allows: Readonly<Record<string, readonly string[]>>;
  readonly transitions?: readonly object[];
}

/** For a status without a lifecycle: every change of it has another cause than a call, or comes at once. */
export const statesAllowing = (allows: PublishedStates['allows']) => ({
  'x-states': { transient: [], allows } satisfies PublishedStates,
});
