/** The five power actions, their parameters and their statuses. */
import { type Effect, forGood, forNow } from '../../../kernel/effect.ts';
import type { ResourceRef } from '../../../kernel/resource-ref.ts';
import {
  advanced,
  keysOf,
  label,
  Named,
  OneOf,
  Shape,
  type Static,
  Type,
  when,
} from '../../../kernel/schema.ts';
import type { VmState } from '../vms/lifecycle.ts';

const actionMeanings = {
  power_on: 'Starts the machine.',
  power_off: 'Forces the machine off at once, like pulling the plug.',
  shutdown: 'Asks the guest to shut down.',
  restart: 'Asks the guest to shut down, then starts the machine.',
  reset: 'Forces the machine off at once, then starts it.',
} as const;
export const actionTypes = keysOf(actionMeanings);
export type ActionType = keyof typeof actionMeanings;

const TIMEOUT_SECONDS = 90;
const LONGEST_TIMEOUT_SECONDS = 600;
/** Added to the time that the guest has to shut down. */
const DEADLINE_SECONDS = 600;

export const TimeoutSeconds = Type.Integer({
  minimum: 5,
  maximum: LONGEST_TIMEOUT_SECONDS,
  default: TIMEOUT_SECONDS,
  'x-unit': 'seconds',
  ...label('Time to shut down'),
  ...advanced,
  description: 'How long the guest may take to shut down.',
});

/** Only these actions ask the guest to shut down. */
const GRACEFUL = when('type', 'shutdown', 'restart');

export const actionMembers = {
  type: Named('PowerAction', OneOf(actionMeanings, { description: 'What to do with the machine.' })),
  timeout_seconds: Type.Optional({ ...TimeoutSeconds, ...GRACEFUL }),
  on_timeout: Type.Optional({
    ...Named(
      'OnTimeout',
      OneOf(
        {
          fail: 'The machine keeps running, and the operation fails with `shutdown_timeout`.',
          force: 'The machine is forced off.',
        },
        { default: 'fail', description: 'What happens if the guest does not shut down in time.' },
      ),
    ),
    ...GRACEFUL,
  }),
};

/** A power action with defaults for the members that the caller left out. */
export const Action = Shape({
  type: OneOf(actionMeanings),
  timeout_seconds: Type.Integer(),
  on_timeout: OneOf(['fail', 'force']),
});
export type Action = Static<typeof Action>;

export const actionOf = (body: Static<ReturnType<typeof Type.Object<typeof actionMembers>>>): Action => ({
  type: body.type,
  timeout_seconds: body.timeout_seconds ?? TIMEOUT_SECONDS,
  on_timeout: body.on_timeout ?? 'fail',
});

export const isGraceful = (type: ActionType): boolean => type === 'shutdown' || type === 'restart';

export const deadlineOf = ({ type, timeout_seconds }: Pick<Action, 'type' | 'timeout_seconds'>): number =>
  DEADLINE_SECONDS + (isGraceful(type) ? timeout_seconds : 0);

export const longestDeadlineOf = (type: ActionType): number =>
  deadlineOf({ type, timeout_seconds: LONGEST_TIMEOUT_SECONDS });

export const throughOf: Readonly<Record<ActionType, VmState>> = {
  power_on: 'starting',
  power_off: 'stopping',
  shutdown: 'stopping',
  restart: 'restarting',
  reset: 'restarting',
};

export const wantedOf: Readonly<Record<ActionType, 'running' | 'stopped'>> = {
  power_on: 'running',
  power_off: 'stopped',
  shutdown: 'stopped',
  restart: 'running',
  reset: 'running',
};

/** Stopping a guest loses its running system; forcing it off can also lose data. */
export function effectOf({ type, on_timeout }: Pick<Action, 'type' | 'on_timeout'>, vm: ResourceRef): Effect {
  if (type === 'power_on') return { action: 'start', ...vm };
  const isSafe = isGraceful(type) && on_timeout === 'fail';
  const loss = isSafe
    ? forNow('The running system: the guest is asked to shut down.')
    : forGood('The running system, and data that the guest has not yet written to its disk.');
  return { action: wantedOf[type] === 'stopped' ? 'stop' : 'restart', ...vm, loss };
}
