/**
 * The sandbox driver, for the demo and for tests. Its machines exist only in database tables. Calls take time, hosts
 * run out of capacity, and fault rules make calls fail. Any number of processes may share a location.
 */
import { Readable } from 'node:stream';
import type { Image as CatalogueImage, Iso as CatalogueIso } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import type { Subscriber } from '../../../store/listener.ts';
import { refuseMissingCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { ComputeEngine, Console } from '../port.ts';
import { renderLog, tail } from './boot-log.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { type ComputeCore, missing, nameOf, openComputeCore } from './core.ts';
import * as disks from './disks.ts';
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

export class Sandbox implements ComputeEngine {
  readonly driver = 'sandbox';
  readonly location: string;
  readonly capabilities = sandboxCapabilities;
  readonly imageFormats = ['qcow2', 'raw', 'vmdk'] as const;
  readonly graphicalProtocol = 'vnc';
  readonly core: ComputeCore;

  constructor({ hosts = HOSTS, pace = 1, ...options }: SandboxOptions) {
    this.location = options.location;
    this.core = openComputeCore({ ...options, hosts, pace });
  }

  async #machine(ref: Ref): Promise<{ machine: Machine; now: Moment }> {
    const machine = await this.core.store.find('machine', nameOf(ref));
    if (machine === null) throw missing('machine', ref.id);
    return { machine, now: await this.core.store.now() };
  }

  ensureInstance: ComputeEngine['ensureInstance'] = (ref, spec, signal) =>
    this.core.perform('ensureInstance', ref, signal, () =>
      machines.ensureInstance(this.core, ref, spec, signal),
    );

  observeInstance: ComputeEngine['observeInstance'] = (ref, signal) =>
    this.core.observe('observeInstance', ref, signal, () => machines.observeInstance(this.core, ref));

  observeInstances: ComputeEngine['observeInstances'] = (signal) =>
    this.core.read('observeInstances', null, signal, () => machines.observeInstances(this.core));

  removeInstance: ComputeEngine['removeInstance'] = (ref, signal) =>
    this.core.perform('removeInstance', ref, signal, () => machines.removeInstance(this.core, ref, signal));

  ensureRunning: ComputeEngine['ensureRunning'] = (ref, signal) =>
    this.core.perform('ensureRunning', ref, signal, () => power.ensureRunning(this.core, ref, signal));

  requestShutdown: ComputeEngine['requestShutdown'] = (ref, _, signal) =>
    this.core.run({
      call: 'requestShutdown',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: ['ignore_shutdown'],
      work: (struck) => power.requestShutdown(this.core, ref, struck !== null, signal),
    });

  ensureStopped: ComputeEngine['ensureStopped'] = (ref, signal) =>
    this.core.perform('ensureStopped', ref, signal, () => power.ensureStopped(this.core, ref, signal));

  restart: ComputeEngine['restart'] = (ref, { once }, signal) =>
    this.core.perform('restart', ref, signal, () => power.restart(this.core, ref, once, signal));

  ensureSize: ComputeEngine['ensureSize'] = (ref, size, signal) =>
    this.core.perform('ensureSize', ref, signal, () => sizes.ensureSize(this.core, ref, size, signal));

  ensurePlacement: ComputeEngine['ensurePlacement'] = (ref, placement, signal) =>
    this.core.perform('ensurePlacement', ref, signal, () =>
      sizes.ensurePlacement(this.core, ref, placement, signal),
    );

  ensureGuest: ComputeEngine['ensureGuest'] = (ref, guest, signal) =>
    this.core.perform('ensureGuest', ref, signal, () => machines.ensureGuest(this.core, ref, guest, signal));

  ensureRescue: ComputeEngine['ensureRescue'] = (ref, rescue, signal) =>
    this.core.perform('ensureRescue', ref, signal, () =>
      machines.ensureRescue(this.core, ref, rescue, signal),
    );

  ensureRebuilt: ComputeEngine['ensureRebuilt'] = (ref, to, signal) =>
    this.core.perform('ensureRebuilt', ref, signal, () => disks.ensureRebuilt(this.core, ref, to, signal));

  ensureNic: ComputeEngine['ensureNic'] = (ref, nic, signal) =>
    this.core.perform('ensureNic', ref, signal, () => machines.ensureNic(this.core, ref, nic, signal));

  removeNic: ComputeEngine['removeNic'] = (ref, nicId, signal) =>
    this.core.perform('removeNic', ref, signal, () => machines.removeNic(this.core, ref, nicId, signal));

  ensureSnapshot: ComputeEngine['ensureSnapshot'] = (ref, snapshot, signal) =>
    this.core.perform('ensureSnapshot', ref, signal, () =>
      disks.ensureSnapshot(this.core, ref, snapshot, signal),
    );

  removeSnapshot: ComputeEngine['removeSnapshot'] = (ref, snapshotId, signal) =>
    this.core.perform('removeSnapshot', ref, signal, () =>
      disks.removeSnapshot(this.core, ref, snapshotId, signal),
    );

  ensureRestored: ComputeEngine['ensureRestored'] = (ref, to, signal) =>
    this.core.perform('ensureRestored', ref, signal, () => disks.ensureRestored(this.core, ref, to, signal));

  ensureNetwork: ComputeEngine['ensureNetwork'] = (ref, spec, signal) =>
    this.core.perform('ensureNetwork', ref, signal, () =>
      networks.ensureNetwork(this.core, ref, spec, signal),
    );
  observeNetwork: ComputeEngine['observeNetwork'] = (ref, signal) =>
    this.core.observe('observeNetwork', ref, signal, () => networks.observeNetwork(this.core, ref));
  removeNetwork: ComputeEngine['removeNetwork'] = (ref, signal) =>
    this.core.perform('removeNetwork', ref, signal, () => networks.removeNetwork(this.core, ref, signal));

  ensureFirewall: ComputeEngine['ensureFirewall'] = (ref, spec, signal) =>
    this.core.perform('ensureFirewall', ref, signal, () =>
      firewalls.ensureFirewall(this.core, ref, spec, signal),
    );

  observeFirewall: ComputeEngine['observeFirewall'] = (ref, signal) =>
    this.core.observe('observeFirewall', ref, signal, () => firewalls.observeFirewall(this.core, ref));

  observeFirewalls: ComputeEngine['observeFirewalls'] = (signal) =>
    this.core.read('observeFirewalls', null, signal, () => firewalls.observeFirewalls(this.core));

  removeFirewall: ComputeEngine['removeFirewall'] = (ref, signal) =>
    this.core.perform('removeFirewall', ref, signal, () => firewalls.removeFirewall(this.core, ref, signal));

  ensureVolume: ComputeEngine['ensureVolume'] = (ref, spec, signal) =>
    this.core.perform('ensureVolume', ref, signal, () =>
      volumes.ensureVolume(this.core, ref, spec, this.capabilities, signal),
    );

  observeVolume: ComputeEngine['observeVolume'] = (ref, signal) =>
    this.core.observe('observeVolume', ref, signal, () => volumes.observeVolume(this.core, ref));
  observeVolumes: ComputeEngine['observeVolumes'] = (signal) =>
    this.core.read('observeVolumes', null, signal, () => volumes.observeVolumes(this.core));
  removeVolume: ComputeEngine['removeVolume'] = (ref, signal) =>
    this.core.perform('removeVolume', ref, signal, () => volumes.removeVolume(this.core, ref, signal));

  ensureVolumeSize: ComputeEngine['ensureVolumeSize'] = (ref, sizeGb, signal) =>
    this.core.perform('ensureVolumeSize', ref, signal, () =>
      volumes.ensureVolumeSize(this.core, ref, sizeGb, signal),
    );

  ensureVolumeAttached: ComputeEngine['ensureVolumeAttached'] = (ref, { instance }, signal) =>
    this.core.perform('ensureVolumeAttached', ref, signal, () =>
      volumes.ensureVolumeAttached(this.core, ref, instance, signal),
    );

  ensureVolumeDetached: ComputeEngine['ensureVolumeDetached'] = (ref, { instance, force }, signal) =>
    this.core.run({
      call: 'ensureVolumeDetached',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: force ? [] : ['refuse_detach'],
      work: (struck) => volumes.ensureVolumeDetached(this.core, ref, instance, struck !== null, signal),
    });

  ensureVolumeSnapshot: ComputeEngine['ensureVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.core.perform('ensureVolumeSnapshot', ref, signal, () =>
      volumes.ensureVolumeSnapshot(this.core, ref, snapshotId, signal),
    );

  removeVolumeSnapshot: ComputeEngine['removeVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.core.perform('removeVolumeSnapshot', ref, signal, () =>
      volumes.removeVolumeSnapshot(this.core, ref, snapshotId, signal),
    );

  ensureVolumeRestored: ComputeEngine['ensureVolumeRestored'] = (ref, to, signal) =>
    this.core.perform('ensureVolumeRestored', ref, signal, () =>
      volumes.ensureVolumeRestored(this.core, ref, to, signal),
    );

  ensureGateway: ComputeEngine['ensureGateway'] = (ref, spec, signal) =>
    this.core.perform('ensureGateway', ref, signal, () => vpn.ensureGateway(this.core, ref, spec, signal));
  ensureGatewayPeers: ComputeEngine['ensureGatewayPeers'] = (ref, peers, signal) =>
    this.core.perform('ensureGatewayPeers', ref, signal, () =>
      vpn.ensurePeers(this.core, ref, peers, signal),
    );
  observeGateway: ComputeEngine['observeGateway'] = (ref, signal) =>
    this.core.observe('observeGateway', ref, signal, () => vpn.observeGateway(this.core, ref));
  observeGateways: ComputeEngine['observeGateways'] = (signal) =>
    this.core.read('observeGateways', null, signal, () => vpn.observeGateways(this.core));
  removeGateway: ComputeEngine['removeGateway'] = (ref, signal) =>
    this.core.perform('removeGateway', ref, signal, () => vpn.removeGateway(this.core, ref, signal));
  ensureIso: ComputeEngine['ensureIso'] = (ref, file, signal) =>
    this.core.perform('ensureIso', ref, signal, () => isos.ensureIso(this.core, ref, file, signal));

  observeIso: ComputeEngine['observeIso'] = (ref, signal) =>
    this.core.observe('observeIso', ref, signal, () => isos.observeIso(this.core, ref));

  observeIsos: ComputeEngine['observeIsos'] = (signal) =>
    this.core.read('observeIsos', null, signal, () => isos.observeIsos(this.core));

  removeIso: ComputeEngine['removeIso'] = (ref, signal) =>
    this.core.perform('removeIso', ref, signal, () => isos.removeIso(this.core, ref));

  ensureDrive: ComputeEngine['ensureDrive'] = (ref, drive, signal) =>
    this.core.perform('ensureDrive', ref, signal, () => isos.ensureDrive(this.core, ref, drive, signal));

  ensureImage: ComputeEngine['ensureImage'] = (ref, source, signal) =>
    this.core.perform('ensureImage', ref, signal, () => images.ensureImage(this.core, ref, source, signal));
  observeImage: ComputeEngine['observeImage'] = (ref, signal) =>
    this.core.observe('observeImage', ref, signal, () => images.observeImage(this.core, ref));
  exportImage: ComputeEngine['exportImage'] = (ref, signal) =>
    this.core.run({
      ...{ call: 'exportImage', target: nameOf(ref), signal, lie: { value: Readable.from([]) } },
      work: () => images.exportImage(this.core, ref, signal),
    });
  removeImage: ComputeEngine['removeImage'] = (ref, signal) =>
    this.core.perform('removeImage', ref, signal, () => images.removeImage(this.core, ref));

  setPassword: ComputeEngine['setPassword'] = (ref, user, password, signal) =>
    this.core.perform('setPassword', ref, signal, () => setPassword(this.core, ref, user, password, signal));

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

  readCapacity: ComputeEngine['readCapacity'] = (signal) =>
    this.core.read('readCapacity', null, signal, () => machines.readCapacity(this.core));

  fits: ComputeEngine['fits'] = (account, size, placement, signal) =>
    this.core.read('fits', null, signal, () => machines.fits(this.core, account, size, placement));

  watch: ComputeEngine['watch'] = (watcher) => this.core.watch(watcher);

  close(): Promise<void> {
    return this.core.close();
  }
}
