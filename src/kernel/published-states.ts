/** The form of `x-states`. */
export interface PublishedStates {
  readonly transient: readonly string[];
  /** By state: the ids of the endpoints that are accepted, of those that are not accepted in every state. */
  readonly allows: Readonly<Record<string, readonly string[]>>;
  readonly transitions?: readonly object[];
  /** What people should know about a state at a glance. States that are left out are as they should be. */
  readonly severities?: Readonly<Record<string, Severity>>;
}

export type Severity = 'inactive' | 'warning' | 'error';

/** States mean the same in every family, so a family to come has to say nothing here. */
const known: Readonly<Record<string, Severity>> = {
  error: 'error',
  failed: 'error',
  suspended: 'warning',
  degraded: 'warning',
  stopped: 'inactive',
  expired: 'inactive',
  revoked: 'inactive',
  discarded: 'inactive',
};

export function severitiesOf(states: readonly string[]): Pick<PublishedStates, 'severities'> {
  const found = states.flatMap((state) => {
    const severity = known[state];
    return severity === undefined ? [] : [[state, severity] as const];
  });
  return found.length === 0 ? {} : { severities: Object.fromEntries(found) };
}

/** For a status without a lifecycle: every change of it has another cause than a call, or comes at once. */
export const statesAllowing = (allows: PublishedStates['allows']) => ({
  'x-states': {
    transient: [],
    allows,
    ...severitiesOf(Object.keys(allows)),
  } satisfies PublishedStates,
});
