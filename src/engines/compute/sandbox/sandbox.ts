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
import { type ComputeBackend, missing, nameOf, openComputeBackend } from './backend.ts';
import { renderLog, tail } from './boot-log.ts';
import { sandboxCapabilities } from './capabilities.ts';
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
  /** Receives the nudges of other processes. The backend subscribes at once, so the listener must not be started yet. */
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
  readonly backend: ComputeBackend;

  constructor({ hosts = HOSTS, pace = 1, ...options }: SandboxOptions) {
    this.location = options.location;
    this.backend = openComputeBackend({ ...options, hosts, pace });
  }

  async #machine(ref: Ref): Promise<{ machine: Machine; now: Moment }> {
    const machine = await this.backend.store.find('machine', nameOf(ref));
    if (machine === null) throw missing('machine', ref.id);
    return { machine, now: await this.backend.store.now() };
  }

  ensureInstance: ComputeEngine['ensureInstance'] = (ref, spec, signal) =>
    this.backend.perform('ensureInstance', ref, signal, () =>
      machines.ensureInstance(this.backend, ref, spec, signal),
    );

  observeInstance: ComputeEngine['observeInstance'] = (ref, signal) =>
    this.backend.observe('observeInstance', ref, signal, () => machines.observeInstance(this.backend, ref));

  observeInstances: ComputeEngine['observeInstances'] = (signal) =>
    this.backend.read('observeInstances', null, signal, () => machines.observeInstances(this.backend));

  removeInstance: ComputeEngine['removeInstance'] = (ref, signal) =>
    this.backend.perform('removeInstance', ref, signal, () =>
      machines.removeInstance(this.backend, ref, signal),
    );

  ensureRunning: ComputeEngine['ensureRunning'] = (ref, signal) =>
    this.backend.perform('ensureRunning', ref, signal, () => power.ensureRunning(this.backend, ref, signal));

  requestShutdown: ComputeEngine['requestShutdown'] = (ref, _, signal) =>
    this.backend.run({
      call: 'requestShutdown',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: ['ignore_shutdown'],
      work: (struck) => power.requestShutdown(this.backend, ref, struck !== null, signal),
    });

  ensureStopped: ComputeEngine['ensureStopped'] = (ref, signal) =>
    this.backend.perform('ensureStopped', ref, signal, () => power.ensureStopped(this.backend, ref, signal));

  restart: ComputeEngine['restart'] = (ref, { once }, signal) =>
    this.backend.perform('restart', ref, signal, () => power.restart(this.backend, ref, once, signal));

  ensureSize: ComputeEngine['ensureSize'] = (ref, size, signal) =>
    this.backend.perform('ensureSize', ref, signal, () => sizes.ensureSize(this.backend, ref, size, signal));

  ensurePlacement: ComputeEngine['ensurePlacement'] = (ref, placement, signal) =>
    this.backend.perform('ensurePlacement', ref, signal, () =>
      sizes.ensurePlacement(this.backend, ref, placement, signal),
    );

  ensureGuest: ComputeEngine['ensureGuest'] = (ref, guest, signal) =>
    this.backend.perform('ensureGuest', ref, signal, () =>
      machines.ensureGuest(this.backend, ref, guest, signal),
    );

  ensureRescue: ComputeEngine['ensureRescue'] = (ref, rescue, signal) =>
    this.backend.perform('ensureRescue', ref, signal, () =>
      machines.ensureRescue(this.backend, ref, rescue, signal),
    );

  ensureRebuilt: ComputeEngine['ensureRebuilt'] = (ref, to, signal) =>
    this.backend.perform('ensureRebuilt', ref, signal, () =>
      disks.ensureRebuilt(this.backend, ref, to, signal),
    );

  ensureNic: ComputeEngine['ensureNic'] = (ref, nic, signal) =>
    this.backend.perform('ensureNic', ref, signal, () => machines.ensureNic(this.backend, ref, nic, signal));

  removeNic: ComputeEngine['removeNic'] = (ref, nicId, signal) =>
    this.backend.perform('removeNic', ref, signal, () =>
      machines.removeNic(this.backend, ref, nicId, signal),
    );

  ensureSnapshot: ComputeEngine['ensureSnapshot'] = (ref, snapshot, signal) =>
    this.backend.perform('ensureSnapshot', ref, signal, () =>
      disks.ensureSnapshot(this.backend, ref, snapshot, signal),
    );

  removeSnapshot: ComputeEngine['removeSnapshot'] = (ref, snapshotId, signal) =>
    this.backend.perform('removeSnapshot', ref, signal, () =>
      disks.removeSnapshot(this.backend, ref, snapshotId, signal),
    );

  ensureRestored: ComputeEngine['ensureRestored'] = (ref, to, signal) =>
    this.backend.perform('ensureRestored', ref, signal, () =>
      disks.ensureRestored(this.backend, ref, to, signal),
    );

  ensureNetwork: ComputeEngine['ensureNetwork'] = (ref, spec, signal) =>
    this.backend.perform('ensureNetwork', ref, signal, () =>
      networks.ensureNetwork(this.backend, ref, spec, signal),
    );
  observeNetwork: ComputeEngine['observeNetwork'] = (ref, signal) =>
    this.backend.observe('observeNetwork', ref, signal, () => networks.observeNetwork(this.backend, ref));
  removeNetwork: ComputeEngine['removeNetwork'] = (ref, signal) =>
    this.backend.perform('removeNetwork', ref, signal, () =>
      networks.removeNetwork(this.backend, ref, signal),
    );

  ensureFirewall: ComputeEngine['ensureFirewall'] = (ref, spec, signal) =>
    this.backend.perform('ensureFirewall', ref, signal, () =>
      firewalls.ensureFirewall(this.backend, ref, spec, signal),
    );

  observeFirewall: ComputeEngine['observeFirewall'] = (ref, signal) =>
    this.backend.observe('observeFirewall', ref, signal, () => firewalls.observeFirewall(this.backend, ref));

  observeFirewalls: ComputeEngine['observeFirewalls'] = (signal) =>
    this.backend.read('observeFirewalls', null, signal, () => firewalls.observeFirewalls(this.backend));

  removeFirewall: ComputeEngine['removeFirewall'] = (ref, signal) =>
    this.backend.perform('removeFirewall', ref, signal, () =>
      firewalls.removeFirewall(this.backend, ref, signal),
    );

  ensureVolume: ComputeEngine['ensureVolume'] = (ref, spec, signal) =>
    this.backend.perform('ensureVolume', ref, signal, () =>
      volumes.ensureVolume(this.backend, ref, spec, this.capabilities, signal),
    );

  observeVolume: ComputeEngine['observeVolume'] = (ref, signal) =>
    this.backend.observe('observeVolume', ref, signal, () => volumes.observeVolume(this.backend, ref));
  observeVolumes: ComputeEngine['observeVolumes'] = (signal) =>
    this.backend.read('observeVolumes', null, signal, () => volumes.observeVolumes(this.backend));
  removeVolume: ComputeEngine['removeVolume'] = (ref, signal) =>
    this.backend.perform('removeVolume', ref, signal, () => volumes.removeVolume(this.backend, ref, signal));

  ensureVolumeSize: ComputeEngine['ensureVolumeSize'] = (ref, sizeGb, signal) =>
    this.backend.perform('ensureVolumeSize', ref, signal, () =>
      volumes.ensureVolumeSize(this.backend, ref, sizeGb, signal),
    );

  ensureVolumeAttached: ComputeEngine['ensureVolumeAttached'] = (ref, { instance }, signal) =>
    this.backend.perform('ensureVolumeAttached', ref, signal, () =>
      volumes.ensureVolumeAttached(this.backend, ref, instance, signal),
    );

  ensureVolumeDetached: ComputeEngine['ensureVolumeDetached'] = (ref, { instance, force }, signal) =>
    this.backend.run({
      call: 'ensureVolumeDetached',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: force ? [] : ['refuse_detach'],
      work: (struck) => volumes.ensureVolumeDetached(this.backend, ref, instance, struck !== null, signal),
    });

  ensureVolumeSnapshot: ComputeEngine['ensureVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.backend.perform('ensureVolumeSnapshot', ref, signal, () =>
      volumes.ensureVolumeSnapshot(this.backend, ref, snapshotId, signal),
    );

  removeVolumeSnapshot: ComputeEngine['removeVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.backend.perform('removeVolumeSnapshot', ref, signal, () =>
      volumes.removeVolumeSnapshot(this.backend, ref, snapshotId, signal),
    );

  ensureVolumeRestored: ComputeEngine['ensureVolumeRestored'] = (ref, to, signal) =>
    this.backend.perform('ensureVolumeRestored', ref, signal, () =>
      volumes.ensureVolumeRestored(this.backend, ref, to, signal),
    );

  ensureGateway: ComputeEngine['ensureGateway'] = (ref, spec, signal) =>
    this.backend.perform('ensureGateway', ref, signal, () =>
      vpn.ensureGateway(this.backend, ref, spec, signal),
    );
  ensureGatewayPeers: ComputeEngine['ensureGatewayPeers'] = (ref, peers, signal) =>
    this.backend.perform('ensureGatewayPeers', ref, signal, () =>
      vpn.ensurePeers(this.backend, ref, peers, signal),
    );
  observeGateway: ComputeEngine['observeGateway'] = (ref, signal) =>
    this.backend.observe('observeGateway', ref, signal, () => vpn.observeGateway(this.backend, ref));
  observeGateways: ComputeEngine['observeGateways'] = (signal) =>
    this.backend.read('observeGateways', null, signal, () => vpn.observeGateways(this.backend));
  removeGateway: ComputeEngine['removeGateway'] = (ref, signal) =>
    this.backend.perform('removeGateway', ref, signal, () => vpn.removeGateway(this.backend, ref, signal));
  ensureIso: ComputeEngine['ensureIso'] = (ref, file, signal) =>
    this.backend.perform('ensureIso', ref, signal, () => isos.ensureIso(this.backend, ref, file, signal));

  observeIso: ComputeEngine['observeIso'] = (ref, signal) =>
    this.backend.observe('observeIso', ref, signal, () => isos.observeIso(this.backend, ref));

  observeIsos: ComputeEngine['observeIsos'] = (signal) =>
    this.backend.read('observeIsos', null, signal, () => isos.observeIsos(this.backend));

  removeIso: ComputeEngine['removeIso'] = (ref, signal) =>
    this.backend.perform('removeIso', ref, signal, () => isos.removeIso(this.backend, ref));

  ensureDrive: ComputeEngine['ensureDrive'] = (ref, drive, signal) =>
    this.backend.perform('ensureDrive', ref, signal, () =>
      isos.ensureDrive(this.backend, ref, drive, signal),
    );

  ensureImage: ComputeEngine['ensureImage'] = (ref, source, signal) =>
    this.backend.perform('ensureImage', ref, signal, () =>
      images.ensureImage(this.backend, ref, source, signal),
    );
  observeImage: ComputeEngine['observeImage'] = (ref, signal) =>
    this.backend.observe('observeImage', ref, signal, () => images.observeImage(this.backend, ref));
  exportImage: ComputeEngine['exportImage'] = (ref, signal) =>
    this.backend.run({
      ...{ call: 'exportImage', target: nameOf(ref), signal, lie: { value: Readable.from([]) } },
      work: () => images.exportImage(this.backend, ref, signal),
    });
  removeImage: ComputeEngine['removeImage'] = (ref, signal) =>
    this.backend.perform('removeImage', ref, signal, () => images.removeImage(this.backend, ref));

  setPassword: ComputeEngine['setPassword'] = (ref, user, password, signal) =>
    this.backend.perform('setPassword', ref, signal, () =>
      setPassword(this.backend, ref, user, password, signal),
    );

  readConsoleLog: ComputeEngine['readConsoleLog'] = (ref, maxBytes, signal) =>
    this.backend.read('readConsoleLog', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return tail(renderLog(ref.id, machine, now), maxBytes);
    });

  openConsole: ComputeEngine['openConsole'] = (ref, kind, signal) =>
    this.backend.read('openConsole', ref, signal, async (): Promise<Console> => {
      if (kind === 'graphical') refuseMissingCapability(sandboxCapabilities, 'graphicalConsole');
      const { machine, now } = await this.#machine(ref);
      if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
      const log = renderLog(ref.id, machine, now);
      return { protocol: 'serial', stream: new Shell(this.backend, ref, machine.guest.hostname, log) };
    });

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range, signal) =>
    this.backend.read('readSeries', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return seriesOf(ref.id, machine, metrics, range, now);
    });

  readTraffic: ComputeEngine['readTraffic'] = (from, to, signal) =>
    this.backend.read('readTraffic', null, signal, () => readTraffic(this.backend.store, from, to));

  readCapacity: ComputeEngine['readCapacity'] = (signal) =>
    this.backend.read('readCapacity', null, signal, () => machines.readCapacity(this.backend));

  fits: ComputeEngine['fits'] = (account, size, placement, signal) =>
    this.backend.read('fits', null, signal, () => machines.fits(this.backend, account, size, placement));

  watch: ComputeEngine['watch'] = (watcher) => this.backend.watch(watcher);

  close(): Promise<void> {
    return this.backend.close();
  }
}
