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
import * as disks from './disks.ts';
import * as firewalls from './firewalls.ts';
import * as vpn from './gateways.ts';
import * as images from './images.ts';
import * as isos from './isos.ts';
import * as machines from './machines.ts';
import * as networks from './networks.ts';
import { setPassword } from './passwords.ts';
import * as power from './power.ts';
import { missing, nameOf, openRoom, type Room } from './room.ts';
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
  /** Receives the nudges of other processes. The room subscribes at once, so the listener must not be started yet. */
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
  readonly room: Room;

  constructor({ hosts = HOSTS, pace = 1, ...options }: SandboxOptions) {
    this.location = options.location;
    this.room = openRoom({ ...options, hosts, pace });
  }

  async #machine(ref: Ref): Promise<{ machine: Machine; now: Moment }> {
    const machine = await this.room.store.find('machine', nameOf(ref));
    if (machine === null) throw missing('machine', ref.id);
    return { machine, now: await this.room.store.now() };
  }

  ensureInstance: ComputeEngine['ensureInstance'] = (ref, spec, signal) =>
    this.room.perform('ensureInstance', ref, signal, () =>
      machines.ensureInstance(this.room, ref, spec, signal),
    );

  observeInstance: ComputeEngine['observeInstance'] = (ref, signal) =>
    this.room.observe('observeInstance', ref, signal, () => machines.observeInstance(this.room, ref));

  observeInstances: ComputeEngine['observeInstances'] = (signal) =>
    this.room.read('observeInstances', null, signal, () => machines.observeInstances(this.room));

  removeInstance: ComputeEngine['removeInstance'] = (ref, signal) =>
    this.room.perform('removeInstance', ref, signal, () => machines.removeInstance(this.room, ref, signal));

  ensureRunning: ComputeEngine['ensureRunning'] = (ref, signal) =>
    this.room.perform('ensureRunning', ref, signal, () => power.ensureRunning(this.room, ref, signal));

  requestShutdown: ComputeEngine['requestShutdown'] = (ref, _, signal) =>
    this.room.visit({
      call: 'requestShutdown',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: ['ignore_shutdown'],
      work: (struck) => power.requestShutdown(this.room, ref, struck !== null, signal),
    });

  ensureStopped: ComputeEngine['ensureStopped'] = (ref, signal) =>
    this.room.perform('ensureStopped', ref, signal, () => power.ensureStopped(this.room, ref, signal));

  restart: ComputeEngine['restart'] = (ref, { once }, signal) =>
    this.room.perform('restart', ref, signal, () => power.restart(this.room, ref, once, signal));

  ensureSize: ComputeEngine['ensureSize'] = (ref, size, signal) =>
    this.room.perform('ensureSize', ref, signal, () => sizes.ensureSize(this.room, ref, size, signal));

  ensurePlacement: ComputeEngine['ensurePlacement'] = (ref, placement, signal) =>
    this.room.perform('ensurePlacement', ref, signal, () =>
      sizes.ensurePlacement(this.room, ref, placement, signal),
    );

  ensureGuest: ComputeEngine['ensureGuest'] = (ref, guest, signal) =>
    this.room.perform('ensureGuest', ref, signal, () => machines.ensureGuest(this.room, ref, guest, signal));

  ensureRescue: ComputeEngine['ensureRescue'] = (ref, rescue, signal) =>
    this.room.perform('ensureRescue', ref, signal, () =>
      machines.ensureRescue(this.room, ref, rescue, signal),
    );

  ensureRebuilt: ComputeEngine['ensureRebuilt'] = (ref, to, signal) =>
    this.room.perform('ensureRebuilt', ref, signal, () => disks.ensureRebuilt(this.room, ref, to, signal));

  ensureNic: ComputeEngine['ensureNic'] = (ref, nic, signal) =>
    this.room.perform('ensureNic', ref, signal, () => machines.ensureNic(this.room, ref, nic, signal));

  removeNic: ComputeEngine['removeNic'] = (ref, nicId, signal) =>
    this.room.perform('removeNic', ref, signal, () => machines.removeNic(this.room, ref, nicId, signal));

  ensureSnapshot: ComputeEngine['ensureSnapshot'] = (ref, snapshot, signal) =>
    this.room.perform('ensureSnapshot', ref, signal, () =>
      disks.ensureSnapshot(this.room, ref, snapshot, signal),
    );

  removeSnapshot: ComputeEngine['removeSnapshot'] = (ref, snapshotId, signal) =>
    this.room.perform('removeSnapshot', ref, signal, () =>
      disks.removeSnapshot(this.room, ref, snapshotId, signal),
    );

  ensureRestored: ComputeEngine['ensureRestored'] = (ref, to, signal) =>
    this.room.perform('ensureRestored', ref, signal, () => disks.ensureRestored(this.room, ref, to, signal));

  ensureNetwork: ComputeEngine['ensureNetwork'] = (ref, spec, signal) =>
    this.room.perform('ensureNetwork', ref, signal, () =>
      networks.ensureNetwork(this.room, ref, spec, signal),
    );
  observeNetwork: ComputeEngine['observeNetwork'] = (ref, signal) =>
    this.room.observe('observeNetwork', ref, signal, () => networks.observeNetwork(this.room, ref));
  removeNetwork: ComputeEngine['removeNetwork'] = (ref, signal) =>
    this.room.perform('removeNetwork', ref, signal, () => networks.removeNetwork(this.room, ref, signal));

  ensureFirewall: ComputeEngine['ensureFirewall'] = (ref, spec, signal) =>
    this.room.perform('ensureFirewall', ref, signal, () =>
      firewalls.ensureFirewall(this.room, ref, spec, signal),
    );

  observeFirewall: ComputeEngine['observeFirewall'] = (ref, signal) =>
    this.room.observe('observeFirewall', ref, signal, () => firewalls.observeFirewall(this.room, ref));

  observeFirewalls: ComputeEngine['observeFirewalls'] = (signal) =>
    this.room.read('observeFirewalls', null, signal, () => firewalls.observeFirewalls(this.room));

  removeFirewall: ComputeEngine['removeFirewall'] = (ref, signal) =>
    this.room.perform('removeFirewall', ref, signal, () => firewalls.removeFirewall(this.room, ref, signal));

  ensureVolume: ComputeEngine['ensureVolume'] = (ref, spec, signal) =>
    this.room.perform('ensureVolume', ref, signal, () =>
      volumes.ensureVolume(this.room, ref, spec, this.capabilities, signal),
    );

  observeVolume: ComputeEngine['observeVolume'] = (ref, signal) =>
    this.room.observe('observeVolume', ref, signal, () => volumes.observeVolume(this.room, ref));
  observeVolumes: ComputeEngine['observeVolumes'] = (signal) =>
    this.room.read('observeVolumes', null, signal, () => volumes.observeVolumes(this.room));
  removeVolume: ComputeEngine['removeVolume'] = (ref, signal) =>
    this.room.perform('removeVolume', ref, signal, () => volumes.removeVolume(this.room, ref, signal));

  ensureVolumeSize: ComputeEngine['ensureVolumeSize'] = (ref, sizeGb, signal) =>
    this.room.perform('ensureVolumeSize', ref, signal, () =>
      volumes.ensureVolumeSize(this.room, ref, sizeGb, signal),
    );

  ensureVolumeAttached: ComputeEngine['ensureVolumeAttached'] = (ref, { instance }, signal) =>
    this.room.perform('ensureVolumeAttached', ref, signal, () =>
      volumes.ensureVolumeAttached(this.room, ref, instance, signal),
    );

  ensureVolumeDetached: ComputeEngine['ensureVolumeDetached'] = (ref, { instance, force }, signal) =>
    this.room.visit({
      call: 'ensureVolumeDetached',
      target: nameOf(ref),
      signal,
      lie: DONE,
      ownEffects: force ? [] : ['refuse_detach'],
      work: (struck) => volumes.ensureVolumeDetached(this.room, ref, instance, struck !== null, signal),
    });

  ensureVolumeSnapshot: ComputeEngine['ensureVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.room.perform('ensureVolumeSnapshot', ref, signal, () =>
      volumes.ensureVolumeSnapshot(this.room, ref, snapshotId, signal),
    );

  removeVolumeSnapshot: ComputeEngine['removeVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.room.perform('removeVolumeSnapshot', ref, signal, () =>
      volumes.removeVolumeSnapshot(this.room, ref, snapshotId, signal),
    );

  ensureVolumeRestored: ComputeEngine['ensureVolumeRestored'] = (ref, to, signal) =>
    this.room.perform('ensureVolumeRestored', ref, signal, () =>
      volumes.ensureVolumeRestored(this.room, ref, to, signal),
    );

  ensureGateway: ComputeEngine['ensureGateway'] = (ref, spec, signal) =>
    this.room.perform('ensureGateway', ref, signal, () => vpn.ensureGateway(this.room, ref, spec, signal));
  ensureGatewayPeers: ComputeEngine['ensureGatewayPeers'] = (ref, peers, signal) =>
    this.room.perform('ensureGatewayPeers', ref, signal, () =>
      vpn.ensurePeers(this.room, ref, peers, signal),
    );
  observeGateway: ComputeEngine['observeGateway'] = (ref, signal) =>
    this.room.observe('observeGateway', ref, signal, () => vpn.observeGateway(this.room, ref));
  observeGateways: ComputeEngine['observeGateways'] = (signal) =>
    this.room.read('observeGateways', null, signal, () => vpn.observeGateways(this.room));
  removeGateway: ComputeEngine['removeGateway'] = (ref, signal) =>
    this.room.perform('removeGateway', ref, signal, () => vpn.removeGateway(this.room, ref, signal));
  ensureIso: ComputeEngine['ensureIso'] = (ref, file, signal) =>
    this.room.perform('ensureIso', ref, signal, () => isos.ensureIso(this.room, ref, file, signal));

  observeIso: ComputeEngine['observeIso'] = (ref, signal) =>
    this.room.observe('observeIso', ref, signal, () => isos.observeIso(this.room, ref));

  observeIsos: ComputeEngine['observeIsos'] = (signal) =>
    this.room.read('observeIsos', null, signal, () => isos.observeIsos(this.room));

  removeIso: ComputeEngine['removeIso'] = (ref, signal) =>
    this.room.perform('removeIso', ref, signal, () => isos.removeIso(this.room, ref));

  ensureDrive: ComputeEngine['ensureDrive'] = (ref, drive, signal) =>
    this.room.perform('ensureDrive', ref, signal, () => isos.ensureDrive(this.room, ref, drive, signal));

  ensureImage: ComputeEngine['ensureImage'] = (ref, source, signal) =>
    this.room.perform('ensureImage', ref, signal, () => images.ensureImage(this.room, ref, source, signal));
  observeImage: ComputeEngine['observeImage'] = (ref, signal) =>
    this.room.observe('observeImage', ref, signal, () => images.observeImage(this.room, ref));
  exportImage: ComputeEngine['exportImage'] = (ref, signal) =>
    this.room.visit({
      ...{ call: 'exportImage', target: nameOf(ref), signal, lie: { value: Readable.from([]) } },
      work: () => images.exportImage(this.room, ref, signal),
    });
  removeImage: ComputeEngine['removeImage'] = (ref, signal) =>
    this.room.perform('removeImage', ref, signal, () => images.removeImage(this.room, ref));

  setPassword: ComputeEngine['setPassword'] = (ref, user, password, signal) =>
    this.room.perform('setPassword', ref, signal, () => setPassword(this.room, ref, user, password, signal));

  readConsoleLog: ComputeEngine['readConsoleLog'] = (ref, maxBytes, signal) =>
    this.room.read('readConsoleLog', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return tail(renderLog(ref.id, machine, now), maxBytes);
    });

  openConsole: ComputeEngine['openConsole'] = (ref, kind, signal) =>
    this.room.read('openConsole', ref, signal, async (): Promise<Console> => {
      if (kind === 'graphical') refuseMissingCapability(sandboxCapabilities, 'graphicalConsole');
      const { machine, now } = await this.#machine(ref);
      if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
      const log = renderLog(ref.id, machine, now);
      return { protocol: 'serial', stream: new Shell(this.room, ref, machine.guest.hostname, log) };
    });

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range, signal) =>
    this.room.read('readSeries', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return seriesOf(ref.id, machine, metrics, range, now);
    });

  readTraffic: ComputeEngine['readTraffic'] = (from, to, signal) =>
    this.room.read('readTraffic', null, signal, () => readTraffic(this.room.store, from, to));

  readCapacity: ComputeEngine['readCapacity'] = (signal) =>
    this.room.read('readCapacity', null, signal, () => machines.readCapacity(this.room));

  fits: ComputeEngine['fits'] = (account, size, placement, signal) =>
    this.room.read('fits', null, signal, () => machines.fits(this.room, account, size, placement));

  watch: ComputeEngine['watch'] = (watcher) => this.room.watch(watcher);

  close(): Promise<void> {
    return this.room.close();
  }
}
