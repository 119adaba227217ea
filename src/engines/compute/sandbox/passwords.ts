/** Sets passwords inside running guests. */
import { randomBytes, scrypt } from 'node:crypto';
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { shadowWith } from './cloud-init.ts';
import { type ComputeCore, changePresent, nameOf } from './core.ts';
import { present } from './machines.ts';
import { isOn } from './state.ts';

/** Uses cheap scrypt parameters, because the password protects only simulated files. */
async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(8);
  const hash = await new Promise<Buffer>((resolve, reject) =>
    scrypt(password, salt, 16, { N: 1024 }, (error, key) => (error ? reject(error) : resolve(key))),
  );
  return `$scrypt$${salt.toString('hex')}$${hash.toString('hex')}`;
}

export async function setPassword(
  core: ComputeCore,
  ref: Ref,
  user: string,
  password: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const hash = await hashPassword(password);
  await changePresent(core, nameOf(ref), signal, async (_, machine, now) => {
    if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
    if (present(nameOf(ref), machine, now).agent === null)
      throw new EngineRefused('guest_agent_unavailable', 'No agent in the guest answers.');
    const shadow = shadowWith(machine.disk['/etc/shadow'], user, hash);
    const disk = { ...machine.disk, '/etc/shadow': shadow };
    return { ...machine, disk, busyUntil: now + core.takes('password') };
  });
}
