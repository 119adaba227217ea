/**
 * Keys that the driver writes into the configuration of an instance, a volume or a network. The engine stores `user.*` keys and
 * does not interpret them.
 */
export const keys = {
  /** The instance's `ImageRef` as JSON, or `null`. */
  image: 'user.hostplane.image',
  seed: 'user.hostplane.seed',
  hostname: 'user.hostplane.hostname',
  /** The ids of operations whose work is done on this instance or volume, newest last. */
  once: 'user.hostplane.once',
  /** The id of the operation that restarts the instance, and the start time of the instance before that restart. */
  restart: 'user.hostplane.restart',
  /** Prefix: a dot and the interface id follow. One key for each network interface, with its `Nic` as JSON. */
  nic: 'user.hostplane.nic',
  /** On an instance: `wanted` until the next start, which boots the ISO in the drive, and then `used`. */
  bootOnce: 'user.hostplane.boot-once',
  /** On a volume: `made` once it is complete. */
  volume: 'user.hostplane.volume',
  /** On a volume that moves to another cluster member: the name of the copy that is being made there. */
  copy: 'user.hostplane.copy',
  /** On a volume that has moved: the name of the copy that took its place. */
  successor: 'user.hostplane.successor',
  /** On a private network: its `Ref` and `NetworkSpec` as JSON. */
  network: 'user.hostplane.network',
} as const;

const KEPT = 32;

type Config = Readonly<Record<string, string>>;

export const wasDone = (config: Config, once: string): boolean =>
  (config[keys.once] ?? '').split(' ').includes(once);

export function noteDone(config: Config, once: string): Config {
  const before = (config[keys.once] ?? '').split(' ').filter((token) => token !== '' && token !== once);
  return { ...config, [keys.once]: [...before, once].slice(-KEPT).join(' ') };
}
