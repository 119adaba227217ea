/**
 * The sandbox driver, for the demo and for tests. Its machines exist only in database tables. Calls take time, hosts
 * run out of capacity, and fault rules make calls fail. Any number of processes may share a location.
 */
import { Readable } from 'node:stream';
import type { Image as CatalogueImage, Iso as CatalogueIso } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import type { Subscriber } from '../../../store/listener.ts';
import { classOfCalls, signalIn } from '../../call-table.ts';
import { refuseMissingCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { ComputeEngine, Console } from '../port.ts';
import { renderLog, tail } from './boot-log.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { type ComputeCore, missing, nameOf, openComputeCore } from './core.ts';
import * as disks from './disks.ts';
import type { CallName } from './faults.ts';
import * as firewalls from './firewalls.ts';
import * as vpn from './gateways.ts';
import * as images from './images.ts';
import * as isos from './isos.ts';
import * as machines from './machines.ts';
import * as networks from './networks.ts';
import { setPassword } from './passwords.ts';
import * as power from './power.ts';
import { readTraffic, seriesOf } from './series.ts';
import { Shell } from './shell.ts';
import * as sizes from './sizes.ts';
import { isOn, type Machine, type Moment } from './state.ts';
import type { HostSpec } from './store.ts';
import * as volumes from './volumes.ts';

export interface SandboxOptions {
  readonly location: string;
  /** Uses a separate pool, because a handler that calls the engine already holds a connection of the main pool. */
  readonly db: Db;
  /** Receives the nudges of other processes. The core subscribes at once, so the listener must not be started yet. */
  readonly listener?: { subscribe(channel: string, subscriber: Subscriber): void };
  readonly images: () => readonly CatalogueImage[];
  readonly isos: () => readonly CatalogueIso[];
  readonly hosts?: readonly HostSpec[];
  readonly pace?: number;
}

const HOSTS: readonly HostSpec[] = Array.from({ length: 8 }, (_, i) => ({
  name: `host-${i + 1}`,
  vcpus: 256,
  memoryMb: 1024 * 1024,
  diskGb: 64_000,
}));

const DONE = { value: undefined };

type Work = (core: ComputeCore, ...args: never[]) => Promise<unknown>;
/** Some changes return more than their call does. */
type WorkOf<K extends CallName> = (
  core: ComputeCore,
  ...args: Parameters<ComputeEngine[K]>
) => Promise<unknown>;

interface Entry {
  readonly how: 'perform' | 'observe' | 'read';
  readonly work: Work;
}

/** Changes something. The fault `lie` makes it answer that the change is done. */
const performs = <F extends Work>(work: F) => ({ how: 'perform', work }) as const;
/** Returns one object. The fault `lie` makes it answer that there is none. */
const observes = <F extends Work>(work: F) => ({ how: 'observe', work }) as const;
/** Reads something that is about no single object. */
const lists = <F extends Work>(work: F) => ({ how: 'read', work }) as const;

const calls = {
  ensureInstance: performs(machines.ensureInstance),
  observeInstance: observes(machines.observeInstance),
  observeInstances: lists(machines.observeInstances),
  removeInstance: performs(machines.removeInstance),
  ensureRunning: performs(power.ensureRunning),
  ensureStopped: performs(power.ensureStopped),
  restart: performs(power.restart),
  ensureSize: performs(sizes.ensureSize),
  ensurePlacement: performs(sizes.ensurePlacement),
  ensureGuest: performs(machines.ensureGuest),
  ensureRescue: performs(machines.ensureRescue),
  ensureRebuilt: performs(disks.ensureRebuilt),
  ensureNic: performs(machines.ensureNic),
  removeNic: performs(machines.removeNic),
  ensureSnapshot: performs(disks.ensureSnapshot),
  removeSnapshot: performs(disks.removeSnapshot),
  ensureRestored: performs(disks.ensureRestored),
  ensureNetwork: performs(networks.ensureNetwork),
  observeNetwork: observes(networks.observeNetwork),
  removeNetwork: performs(networks.removeNetwork),
  ensureFirewall: performs(firewalls.ensureFirewall),
  observeFirewall: observes(firewalls.observeFirewall),
  observeFirewalls: lists(firewalls.observeFirewalls),
  removeFirewall: performs(firewalls.removeFirewall),
  ensureVolume: performs(volumes.ensureVolume),
  observeVolume: observes(volumes.observeVolume),
  observeVolumes: lists(volumes.observeVolumes),
  removeVolume: performs(volumes.removeVolume),
  ensureVolumeSize: performs(volumes.ensureVolumeSize),
  ensureVolumeAttached: performs(volumes.ensureVolumeAttached),
  ensureVolumeSnapshot: performs(volumes.ensureVolumeSnapshot),
  removeVolumeSnapshot: performs(volumes.removeVolumeSnapshot),
  ensureVolumeRestored: performs(volumes.ensureVolumeRestored),
  ensureGateway: performs(vpn.ensureGateway),
  ensureGatewayPeers: performs(vpn.ensurePeers),
  observeGateway: observes(vpn.observeGateway),
  observeGateways: lists(vpn.observeGateways),
  removeGateway: performs(vpn.removeGateway),
  ensureIso: performs(isos.ensureIso),
  observeIso: observes(isos.observeIso),
  observeIsos: lists(isos.observeIsos),
  removeIso: performs(isos.removeIso),
  ensureDrive: performs(isos.ensureDrive),
  ensureImage: performs(images.ensureImage),
  observeImage: observes(images.observeImage),
  removeImage: performs(images.removeImage),
  setPassword: performs(setPassword),
  readCapacity: lists(machines.readCapacity),
  fits: lists(machines.fits),
} as const satisfies {
  readonly [K in CallName]?: { readonly work: WorkOf<K> };
};

type Calls = Pick<ComputeEngine, keyof typeof calls>;

export class Sandbox extends classOfCalls<Calls, Entry>(calls) implements ComputeEngine {
  readonly driver = 'sandbox';
  readonly location: string;
  readonly capabilities = sandboxCapabilities;
  readonly imageFormats = ['qcow2', 'raw', 'vmdk'] as const;
  readonly graphicalProtocol = 'vnc';
  readonly core: ComputeCore;

  constructor({ hosts = HOSTS, pace = 1, ...options }: SandboxOptions) {
    super((name, { how, work }, args) => {
      const run = (): Promise<never> => work(this.core, ...(args as never[])) as Promise<never>;
      const signal = signalIn(args);
      if (how === 'read') return this.core.read(name, null, signal, run);
      return this.core[how](name, args[0] as Ref, signal, run);
    });
    this.location = options.location;
    this.core = openComputeCore({ ...options, hosts, pace });
  }

  async #machine(ref: Ref): Promise<{ machine: Machine; now: Moment }> {
    const machine = await this.core.store.find('machine', nameOf(ref));
    if (machine === null) throw missing('machine', ref.id);
    return { machine, now: await this.core.store.now() };
  }

  requestShutdown: ComputeEngine['requestShutdown'] = (ref, _, signal) =>
    this.core.run({
      call: 'requestShutdown',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: ['ignore_shutdown'],
      work: (struck) => power.requestShutdown(this.core, ref, struck !== null, signal),
    });

  ensureVolumeDetached: ComputeEngine['ensureVolumeDetached'] = (ref, { instance, force }, signal) =>
    this.core.run({
      call: 'ensureVolumeDetached',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: force ? [] : ['refuse_detach'],
      work: (struck) => volumes.ensureVolumeDetached(this.core, ref, instance, struck !== null, signal),
    });

  exportImage: ComputeEngine['exportImage'] = (ref, signal) =>
    this.core.run({
      ...{ call: 'exportImage', target: nameOf(ref), signal, lie: { value: Readable.from([]) } },
      work: () => images.exportImage(this.core, ref, signal),
    });

  readConsoleLog: ComputeEngine['readConsoleLog'] = (ref, maxBytes, signal) =>
    this.core.read('readConsoleLog', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return tail(renderLog(ref.id, machine, now), maxBytes);
    });

  openConsole: ComputeEngine['openConsole'] = (ref, kind, signal) =>
    this.core.read('openConsole', ref, signal, async (): Promise<Console> => {
      if (kind === 'graphical') refuseMissingCapability(sandboxCapabilities, 'graphicalConsole');
      const { machine, now } = await this.#machine(ref);
      if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
      const log = renderLog(ref.id, machine, now);
      return { protocol: 'serial', stream: new Shell(this.core, ref, machine.guest.hostname, log) };
    });

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range, signal) =>
    this.core.read('readSeries', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return seriesOf(ref.id, machine, metrics, range, now);
    });

  readTraffic: ComputeEngine['readTraffic'] = (from, to, signal) =>
    this.core.read('readTraffic', null, signal, () => readTraffic(this.core.store, from, to));

  watch: ComputeEngine['watch'] = (watcher) => this.core.watch(watcher);

  close(): Promise<void> {
    return this.core.close();
  }
}
