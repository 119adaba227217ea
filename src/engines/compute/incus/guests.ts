/** Sets up the guest: through cloud-init at its next start, or with a command inside the running guest. */
import { hashGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import { refuseMissingCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Guest } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import type { EngineOperation } from './client.ts';
import { keys } from './config-keys.ts';
import { changeInstance, gone, insist, pathOf, type RawInstance, type Site } from './driver-context.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';

type Config = RawInstance['config'];

const USER_DATA = 'cloud-init.user-data';
const VENDOR_DATA = 'cloud-init.vendor-data';
const META_DATA = 'user.meta-data';
/** Tells the engine to write the image's templates to the disk at the next start. */
const TEMPLATES = 'volatile.apply_template';

const guestKeys: ReadonlySet<string> = new Set([keys.seed, keys.hostname, USER_DATA, VENDOR_DATA, META_DATA]);

/**
 * Values are JSON, which is valid YAML. The image's template puts these lines after its own, and of duplicate keys
 * cloud-init uses the last. cloud-init identifies the machine by the seed, so a new seed makes it run again.
 */
const metaDataOf = ({ seed, hostname, sshKeys }: Guest): string =>
  [
    `instance-id: ${JSON.stringify(seed)}`,
    `local-hostname: ${JSON.stringify(hostname)}`,
    `public-keys: ${JSON.stringify(sshKeys)}`,
    '',
  ].join('\n');

/**
 * The customer's user data takes precedence over vendor data. Without an SSH key, login with the password over SSH is
 * enabled.
 */
const vendorDataOf = (passwordHash: string, sshKeys: readonly string[]): string =>
  [
    '#cloud-config',
    `password: ${JSON.stringify(passwordHash)}`,
    'chpasswd: { expire: false }',
    ...(sshKeys.length === 0 ? ['ssh_pwauth: true'] : []),
    '',
  ].join('\n');

/** The configuration keys that hold the guest's data, and no other keys. */
export const guestConfig = (guest: Guest): Config => ({
  [keys.seed]: guest.seed,
  [keys.hostname]: guest.hostname,
  [META_DATA]: metaDataOf(guest),
  ...(guest.userData === null ? {} : { [USER_DATA]: guest.userData }),
  ...(guest.passwordHash === null ? {} : { [VENDOR_DATA]: vendorDataOf(guest.passwordHash, guest.sshKeys) }),
});

/** Replaces all guest keys of a complete configuration. A new seed makes the engine write the templates again. */
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
  refuseMissingCapability(capabilities, 'rescue');
}

/** The script reads user and password from its environment, so a user name cannot inject shell commands. */
const SET_PASSWORD = ['sh', '-c', 'printf "%s\\n" "$HOSTPLANE_PASSWORD" | chpasswd -e'];
const NOT_FOUND = 127;

/** The engine keeps the environment of a command for some seconds, so it receives only the hash of the password. */
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
  new EngineRefused('guest_agent_unavailable', 'The guest has no agent that can set a password.');

const unknownUser = (user: string): EngineRefused =>
  new EngineRefused(
    'validation_failed',
    `The guest did not accept a password for the user "${user}". Name a user that exists in the guest.`,
  );

function whyNot(error: unknown, ref: Parameters<typeof gone>[0]): unknown {
  if (!(error instanceof IncusError)) return error;
  if (isMissing(error) && /instance/i.test(error.message)) return gone(ref);
  if (/not running|is stopped/i.test(error.message) && !/agent/i.test(error.message))
    return new EngineRefused('invalid_state', 'The machine is off. Start it first.');
  if (/agent|command not found|no such file|executable/i.test(error.message)) return noAgent();
  return error;
}
