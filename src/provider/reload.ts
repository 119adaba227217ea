/**
 * What a running process takes over from a changed configuration, and what it keeps until it is started again: its
 * addresses, connections and keys, and the engines of the locations. The parts of a catalogue refer to each other, so a
 * catalogue whose locations need other engines is kept back as a whole.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { valueAt } from './draft.ts';
import { filesOf, type PortSettings, settingsIn } from './port-settings.ts';
import type { ProviderConfig } from './schema.ts';

export interface Reload {
  /** The new configuration, with the old values of the members that need a restart. */
  readonly config: ProviderConfig;
  /** The paths that changed and are in effect now. */
  readonly changed: readonly string[];
  /** The paths that changed and are not in effect. */
  readonly needRestart: readonly string[];
}

const ENGINES = 'catalogue.locations';

type Ports = readonly PortSettings[];

/** Members that are read only at start. `server.tls`: only whether it is set; other files are read at once. */
const fixed: readonly string[] = [
  'provider.currency',
  'server.host',
  'server.port',
  'server.worker_port',
  'server.base_url',
  'server.body_timeout_seconds',
  'server.rate_limit.store',
  'database.url',
  'database.url_file',
  'database.folder',
  'database.pool_size',
  'redis.url',
  'secrets.key',
  'secrets.key_file',
  'portal.enabled',
];

const read = (config: ProviderConfig, path: string): unknown => valueAt(config, path.split('.'));

function differs(before: ProviderConfig, after: ProviderConfig, path: string): boolean {
  return !isDeepStrictEqual(read(before, path), read(after, path));
}

/** A URL from a file is read again for every connection. */
function isReadAgain({ database: old }: ProviderConfig, { database: next }: ProviderConfig): boolean {
  return next.url_file !== null && next.url_file === old.url_file;
}

/** The engines of locations that would have to be opened, closed or opened in another way. */
function changedEngines(before: ProviderConfig, after: ProviderConfig, ports: Ports): string[] {
  const enginesOf = ({ catalogue }: ProviderConfig) =>
    new Map<string, unknown>(
      catalogue.locations.flatMap((location) =>
        ports.map((port) => [`${location.slug}.${port.member}`, settingsIn(location, port)] as const),
      ),
    );
  const [old, next] = [enginesOf(before), enginesOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].filter(
    (engine) => !isDeepStrictEqual(old.get(engine) ?? null, next.get(engine) ?? null),
  );
}

/** The content of the files that are read only at start, as a hash by the path that names the file. */
export type Fingerprints = ReadonlyMap<string, string>;

/** For the files of engines, such as the certificates with which they are called. */
export function fingerprintsOf({ catalogue }: ProviderConfig, ports: Ports): Fingerprints {
  const files = catalogue.locations.flatMap((location) =>
    ports.flatMap((port) =>
      filesOf(settingsIn(location, port) ?? {}, port)
        .filter(({ use }) => use === 'at_start')
        .map(
          ({ member, file }) =>
            [`${ENGINES}.${location.slug}.${port.member}.${member}`, hashOf(file)] as const,
        ),
    ),
  );
  return new Map(files);
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return 'unreadable';
  }
}

export function reloadOf(
  before: ProviderConfig,
  after: ProviderConfig,
  atStart: Fingerprints,
  ports: Ports,
): Reload {
  const isTlsSwitched = (before.server.tls === null) !== (after.server.tls === null);
  const engines = changedEngines(before, after, ports);
  const files = [...fingerprintsOf(before, ports)].flatMap(([path, hash]) =>
    atStart.get(path) === hash ? [] : [path],
  );
  const kept = [
    ...fixed.filter(
      (path) => differs(before, after, path) && !(path === 'database.url' && isReadAgain(before, after)),
    ),
    ...(isTlsSwitched ? ['server.tls'] : []),
  ];
  let config = engines.length > 0 ? { ...after, catalogue: before.catalogue } : after;
  for (const path of kept) config = withOld(config, before, path.split('.'));
  return {
    config,
    changed: Object.entries(after).flatMap(([section, members]) =>
      Object.keys(members).flatMap((member) => {
        const path = `${section}.${member}`;
        return differs(before, config, path) ? [path] : [];
      }),
    ),
    needRestart: [...kept, ...engines.map((engine) => `${ENGINES}.${engine}`), ...files],
  };
}

function withOld<T>(after: T, before: T, [name, ...rest]: readonly string[]): T {
  if (name === undefined) return before;
  const member = name as keyof T;
  return { ...after, [member]: withOld(after[member], before[member], rest) };
}
