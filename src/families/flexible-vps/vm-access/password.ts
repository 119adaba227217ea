import { EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import { answerOf, ask, requireCapability } from '../../../engines/engine-call.ts';
import type { Preparation } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Named, Shape, Type } from '../../../kernel/schema.ts';
import { newGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import type { Services } from '../../../kernel/services.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { machineRefusals } from '../vms/refusal-problems.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { findVmIfThere, lockVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { Password, returnedBefore } from './schema.ts';

const GuestPassword = Named(
  'GuestPassword',
  Shape({
    username: Type.String({ description: 'The user inside the guest that has the new password.' }),
    password: Password,
    ...returnedBefore,
  }),
);

/** Asks the engine for the state of the machine, because the row holds only that of the last observation. */
async function observe({ db, caller, params, services }: Preparation<{ readonly id: string }>) {
  const password = newGuestPassword();
  const row = await findVmIfThere(db, caller.account.id, params.id);
  if (row === undefined) return { password, seen: () => null };
  const observed = ask(services.compute, row.location, machineRefusals, (engine, signal) =>
    engine.observeInstance(refOf(row), signal),
  );
  return { password, seen: await answerOf(observed) };
}

function requireAgent(seen: Instance | null, row: VmRow): void {
  if (seen?.state !== 'running')
    throw new Problem('vm_not_running', {
      detail: 'The machine is not running.',
      extra: { current_state: seen?.state ?? 'gone', allowed_states: ['running'] },
    });
  if (seen.agent === null) throw withoutAgent(row);
}

const withoutAgent = ({ guest_agent }: VmRow): Problem =>
  new Problem('guest_agent_unavailable', {
    extra: { agent_last_seen_at: guest_agent?.last_seen_at ?? null },
  });

/** Only the user name comes from the caller; the password is generated. So a refusal is reported at `/username`. */
const mistaken = (error: unknown): unknown =>
  error instanceof EngineRefused && error.code === 'validation_failed'
    ? invalid([{ pointer: '/username', code: 'unknown_reference', detail: error.message }])
    : error;

/** The agent can disconnect after `requireAgent`; this reports the same problem. */
async function setPassword(
  services: Services,
  row: VmRow,
  username: string,
  password: string,
): Promise<void> {
  try {
    await ask(services.compute, row.location, machineRefusals, (engine, signal) =>
      engine.setPassword(refOf(row), username, password, signal).catch((error: unknown) => {
        throw mistaken(error);
      }),
    );
  } catch (error) {
    throw error instanceof Problem && error.code === 'guest_agent_unavailable' ? withoutAgent(row) : error;
  }
}

export const resetVmPassword = endpoint({
  id: 'resetVmPassword',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/password-reset',
  summary: 'Reset the password of a user inside a machine',
  description:
    'Uses the guest agent of the running machine. The new password is generated and shown only once. If you lose the answer, reset the password again.',
  permission: 'flexible-vps:vm-access:write',
  access: 'write',
  sensitive: true,
  resource: { name: 'vm', role: 'action' },
  params: VmId,
  body: Shape({
    username: Type.Optional(
      Type.String({
        ...written(
          '^[a-z_][a-z0-9_-]{0,31}$',
          'Must be the name of a user in Linux: at most 32 lower-case letters, digits, hyphens and underscores, with a letter or an underscore first.',
        ),
        description:
          'The user inside the guest. Default: the default user of the image, or root if the machine has no image.',
      }),
    ),
  }),
  answers: { 200: GuestPassword },
  problems: [
    'operation_in_progress',
    'resource_suspended',
    'vm_not_running',
    'guest_agent_unavailable',
    'capability_missing',
  ],
  example: {
    params: { id: exampleVm.id },
    body: { username: 'root' },
    answer: { status: 200, body: { username: 'root', password: 'x7Kq2mVt9RzHc4WnPb6LdJ3f' } },
  },
  prepare: observe,
  async handle({ db, caller, params, body, services, act, effect, event }, { password, seen }) {
    const row = await lockVm(db, caller.account.id, params.id);
    const operation = (await pendingOn(db, [row.id])).get(row.id);
    vmLife.require('resetVmPassword', row.status, { code: 'vm_not_running', operation });
    requireCapability(services.compute, row.location, 'passwordReset');
    requireAgent(seen(), row);
    const username = body.username ?? row.image?.default_user ?? 'root';
    act({ subject: row.id, perform: () => setPassword(services, row, username, password) });
    effect({
      action: 'update',
      verb: `replaces the password of ${username} in`,
      ...vms.ref(row),
      loss: forGood(`The present password of "${username}".`),
    });
    const message = `The password of ${username} in the machine ${row.name} was replaced.`;
    event(vms.event('password_reset', row, { message }));
    return ok({ username, password });
  },
});
