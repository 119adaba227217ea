/** What we write into the configuration of an instance to know it by; the engine keeps such keys and heeds none of them. */
export const keys = {
  /** JSON of its `ImageRef`, or `null`. */
  image: 'user.hostplane.image',
  seed: 'user.hostplane.seed',
  hostname: 'user.hostplane.hostname',
  /** The operations whose work was done, the newest last. */
  once: 'user.hostplane.once',
  /** An operation that restarts it, and when it had been started before. */
  restart: 'user.hostplane.restart',
  /** And a dot and its id, for each network interface: JSON of its `Nic`. */
  nic: 'user.hostplane.nic',
  /** On a private network: JSON of whose it is and of its `NetworkSpec`. */
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
