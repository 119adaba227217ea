/** What the guest is told: by cloud-init at its next start, or by a command inside it. */
import { hashGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import { requireCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Guest } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import type { EngineOperation } from './client.ts';
import { keys } from './config-keys.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';
import { changeInstance, gone, insist, pathOf, type RawInstance, type Site } from './site.ts';

type Config = RawInstance['config'];

const USER_DATA = 'cloud-init.user-data';
const VENDOR_DATA = 'cloud-init.vendor-data';
const META_DATA = 'user.meta-data';
/** What the engine is to write into the disk by the image's templates at the next start. */
const TEMPLATES = 'volatile.apply_template';

const guestKeys: ReadonlySet<string> = new Set([keys.seed, keys.hostname, USER_DATA, VENDOR_DATA, META_DATA]);

/**
 * JSON is YAML too. Images put our lines after their own, and of two that say the same cloud-init heeds the last: the
 * seed is what it knows the machine by, and a new one makes it begin anew.
 */
const metaDataOf = ({ seed, hostname, sshKeys }: Guest): string =>
  [
    `instance-id: ${JSON.stringify(seed)}`,
    `local-hostname: ${JSON.stringify(hostname)}`,
    `public-keys: ${JSON.stringify(sshKeys)}`,
    '',
  ].join('\n');

/** The customer's own user data goes before it. Who has no key to come in with comes in with the password. */
const vendorDataOf = (passwordHash: string, sshKeys: readonly string[]): string =>
  [
    '#cloud-config',
    `password: ${JSON.stringify(passwordHash)}`,
    'chpasswd: { expire: false }',
    ...(sshKeys.length === 0 ? ['ssh_pwauth: true'] : []),
    '',
  ].join('\n');

/** The keys of the engine's configuration that tell the guest this; nothing else of it. */
export const guestConfig = (guest: Guest): Config => ({
  [keys.seed]: guest.seed,
  [keys.hostname]: guest.hostname,
  [META_DATA]: metaDataOf(guest),
  ...(guest.userData === null ? {} : { [USER_DATA]: guest.userData }),
  ...(guest.passwordHash === null ? {} : { [VENDOR_DATA]: vendorDataOf(guest.passwordHash, guest.sshKeys) }),
});

/** Of a whole configuration: what it told before is gone, and a new seed has the templates written again. */
export function withGuest(config: Config, guest: Guest): Config {
  const others = Object.entries(config).filter(([name]) => !guestKeys.has(name));
  const isNew = config[keys.seed] !== guest.seed;
  return {
    ...Object.fromEntries(others),
    ...guestConfig(guest),
    ...(isNew && config[TEMPLATES] === undefined ? { [TEMPLATES]: 'create' } : {}),
  };
}

export async function ensureGuest(
  site: Site,
  ...[ref, guest, signal]: Parameters<ComputeEngine['ensureGuest']>
): Promise<void> {
  await changeInstance(
    site,
    ref,
    ({ config }) => {
      const changed = withGuest(config, guest);
      const names = new Set([...Object.keys(config), ...Object.keys(changed)]);
      return [...names].every((name) => config[name] === changed[name]) ? null : { config: changed };
    },
    signal,
  );
}

export async function ensureRescue(
  { capabilities }: Site,
  ..._: Parameters<ComputeEngine['ensureRescue']>
): Promise<void> {
  requireCapability(capabilities, 'rescue');
}

/** It finds what it is to set in its environment, so nobody's name can be more than a name. */
const SET_PASSWORD = ['sh', '-c', 'printf "%s\\n" "$HOSTPLANE_PASSWORD" | chpasswd -e'];
const NOT_FOUND = 127;

/** The engine keeps what it was told to run for some seconds, so it is told the hash. */
export async function setPassword(
  site: Site,
  ...[ref, user, password, signal]: Parameters<ComputeEngine['setPassword']>
): Promise<void> {
  if (!/^[^:\s]+$/.test(user)) throw unknownUser(user);
  const ask = {
    project: projectOf(ref),
    body: {
      command: SET_PASSWORD,
      environment: { HOSTPLANE_PASSWORD: `${user}:${hashGuestPassword(password)}` },
      interactive: false,
      'wait-for-websocket': false,
      'record-output': false,
    },
    signal,
  };
  const done = await insist(() => site.client.run('POST', `${pathOf(ref)}/exec`, ask), signal).catch(
    (error: unknown) => {
      throw whyNot(error, ref);
    },
  );
  const status = statusOf(done);
  if (status === NOT_FOUND) throw noAgent();
  if (status !== 0) throw unknownUser(user);
}

const statusOf = (operation: EngineOperation | null): unknown => operation?.metadata?.['return'];

const noAgent = (): EngineRefused =>
  new EngineRefused('guest_agent_unavailable', 'Nothing inside the guest takes a password from outside.');

const unknownUser = (user: string): EngineRefused =>
  new EngineRefused(
    'validation_failed',
    `The guest took no password for the user "${user}". Name one that it has.`,
  );

function whyNot(error: unknown, ref: Parameters<typeof gone>[0]): unknown {
  if (!(error instanceof IncusError)) return error;
  if (isMissing(error) && /instance/i.test(error.message)) return gone(ref);
  if (/not running|is stopped/i.test(error.message) && !/agent/i.test(error.message))
    return new EngineRefused('invalid_state', 'The machine is off. Start it first.');
  if (/agent|command not found|no such file|executable/i.test(error.message)) return noAgent();
  return error;
}
