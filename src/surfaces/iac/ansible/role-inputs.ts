/** What a role takes, and how it changes it later. */
import type { ActionChange } from '../actions.ts';
import type { Input } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';

type Acted = Pick<ManagedResource, 'inputs' | 'actions'>;

/**
 * By input: the action that changes it in place, such as the size of a volume. An optional input with an action, such as
 * the machine of a volume, is a connection that the action makes and does not undo.
 */
export const roleActions = ({ inputs, actions }: Acted): Readonly<Record<string, ActionChange>> =>
  Object.fromEntries(
    inputs.flatMap(({ name, required, change }) => {
      const action = actions[name];
      return action !== undefined && required && change === 'replace' ? [[name, action]] : [];
    }),
  );

/** The inputs of the resource; those that an action changes are as changeable as those of its update. */
export function roleInputs(resource: Acted): Input[] {
  const acted = roleActions(resource);
  return resource.inputs.map((input) => (input.name in acted ? { ...input, change: 'update' } : input));
}
