/**
 * A machine room that exists only in a few tables: the demo, the test double and the fault injector. It keeps its time,
 * runs out of room, and goes wrong where it is told to. Any number of processes may share it.
 */
import { randomBytes, scrypt } from 'node:crypto';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import type { Subscriber } from '../../../store/listener.ts';
import { requireCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ImageRef, Ref } from '../instance.ts';
import { freeOf } from '../placement.ts';
import type { ComputeEngine, Console } from '../port.ts';
import { renderLog, tail } from './boot-log.ts';
import { shadowWith } from './cloud-init.ts';
import * as disks from './disks.ts';
import type { CallName } from './faults.ts';
import * as images from './images.ts';
import * as machines from './machines.ts';
import * as networks from './networks.ts';
import * as power from './power.ts';
import { missing, nameOf, Room } from './room.ts';
import { seriesOf } from './series.ts';
import { Shell } from './shell.ts';
import * as sizes from './sizes.ts';
import { isOn, type Machine, type Moment } from './state.ts';
import { type HostSpec, RoomStore, SANDBOX_CHANNEL } from './store.ts';

export interface SandboxOptions {
  readonly location: string;
  /** Of connections of its own: a handler that asks holds one already. */
  readonly db: Db;
  /** Where what other processes saw is heard; subscribed to at once, so before it starts. */
  readonly listener?: { subscribe(channel: string, subscriber: Subscriber): void };
  readonly images: readonly CatalogueImage[];
  readonly hosts?: readonly HostSpec[];
  readonly pace?: number;
}

const HOSTS: readonly HostSpec[] = Array.from({ length: 8 }, (_, i) => ({
  name: `host-${i + 1}`,
  vcpus: 256,
  memoryMb: 1024 * 1024,
  diskGb: 64_000,
}));

export const sandboxCapabilities: Capabilities = {
  liveResize: true,
  nicHotPlug: true,
  privateNetworks: true,
  overlappingNetworks: true,
  quiesce: true,
  rescue: true,
  passwordReset: true,
  imageImport: true,
  consoleLog: true,
  serialConsole: true,
  graphicalConsole: 'Machines of the sandbox have no screen. Open the serial console instead.',
  series: true,
};

/** Whatever a liar says of something is that it is done, or that it is not there. */
const DONE = { value: undefined };
const ABSENT = { value: null };

/** Cheap to make: what it guards are the few files of a machine that is none. */
async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(8);
  const hash = await new Promise<Buffer>((resolve, reject) =>
    scrypt(password, salt, 16, { N: 1024 }, (error, key) => (error ? reject(error) : resolve(key))),
  );
  return `$scrypt$${salt.toString('hex')}$${hash.toString('hex')}`;
}

export class Sandbox implements ComputeEngine {
  readonly driver = 'sandbox';
  readonly location: string;
  readonly capabilities = sandboxCapabilities;
  readonly imageFormats = ['qcow2', 'raw', 'vmdk'] as const;
  readonly graphicalProtocol = 'vnc';
  readonly room: Room;

  constructor({ location, db, listener, images, hosts = HOSTS, pace = 1 }: SandboxOptions) {
    this.location = location;
    const furniture = { hosts, images, pace };
    this.room = new Room(location, new RoomStore(db, location), furniture, listener !== undefined);
    listener?.subscribe(SANDBOX_CHANNEL, {
      heard: (payload) => this.#heard(payload),
      up: () => undefined,
      down: () => undefined,
    });
  }

  #heard(payload: string): void {
    const [location, project = '', id = ''] = JSON.parse(payload) as string[];
    if (location === this.location) this.room.nudge({ project, id });
  }

  #do(call: CallName, ref: ImageRef, signal: AbortSignal | undefined, work: () => Promise<unknown>) {
    const target = { project: ref.account ?? '', id: ref.id };
    return this.room.visit<void>({ call, target, signal, lie: DONE, work: async () => void (await work()) });
  }

  #read<T>(call: CallName, ref: Ref | null, signal: AbortSignal | undefined, work: () => Promise<T>) {
    return this.room.visit<T>({ call, target: ref && nameOf(ref), signal, work });
  }

  #observe<T>(call: CallName, ref: ImageRef, signal: AbortSignal | undefined, work: () => Promise<T | null>) {
    const target = { project: ref.account ?? '', id: ref.id };
    return this.room.visit<T | null>({ call, target, signal, lie: ABSENT, work });
  }

  async #machine(ref: Ref): Promise<{ machine: Machine; now: Moment }> {
    const machine = await this.room.store.find('machine', nameOf(ref));
    if (machine === null) throw missing('machine', ref.id);
    return { machine, now: await this.room.store.now() };
  }

  ensureInstance: ComputeEngine['ensureInstance'] = (ref, spec, signal) =>
    this.#do('ensureInstance', ref, signal, () => machines.ensureInstance(this.room, ref, spec, signal));

  observeInstance: ComputeEngine['observeInstance'] = (ref, signal) =>
    this.#observe('observeInstance', ref, signal, () => machines.observeInstance(this.room, ref));

  observeInstances: ComputeEngine['observeInstances'] = (signal) =>
    this.#read('observeInstances', null, signal, () => machines.observeInstances(this.room));

  removeInstance: ComputeEngine['removeInstance'] = (ref, signal) =>
    this.#do('removeInstance', ref, signal, () => machines.removeInstance(this.room, ref, signal));

  ensureRunning: ComputeEngine['ensureRunning'] = (ref, signal) =>
    this.#do('ensureRunning', ref, signal, () => power.ensureRunning(this.room, ref, signal));

  ensureStopped: ComputeEngine['ensureStopped'] = (ref, stop, signal) =>
    this.room.visit({
      call: 'ensureStopped',
      target: nameOf(ref),
      signal,
      lie: DONE,
      asksGuest: !stop.force,
      work: (isDeaf) => power.ensureStopped(this.room, ref, stop, isDeaf, signal),
    });

  restart: ComputeEngine['restart'] = (ref, stop, signal) =>
    this.room.visit({
      call: 'restart',
      target: nameOf(ref),
      signal,
      lie: DONE,
      asksGuest: !stop.force,
      work: (isDeaf) => power.restart(this.room, ref, stop, isDeaf, signal),
    });

  ensureSize: ComputeEngine['ensureSize'] = (ref, size, signal) =>
    this.#do('ensureSize', ref, signal, () => sizes.ensureSize(this.room, ref, size, signal));

  ensurePlacement: ComputeEngine['ensurePlacement'] = (ref, placement, signal) =>
    this.#do('ensurePlacement', ref, signal, () => sizes.ensurePlacement(this.room, ref, placement, signal));

  ensureGuest: ComputeEngine['ensureGuest'] = (ref, guest, signal) =>
    this.#do('ensureGuest', ref, signal, () => machines.ensureGuest(this.room, ref, guest, signal));

  ensureRescue: ComputeEngine['ensureRescue'] = (ref, rescue, signal) =>
    this.#do('ensureRescue', ref, signal, () => machines.ensureRescue(this.room, ref, rescue, signal));

  ensureRebuilt: ComputeEngine['ensureRebuilt'] = (ref, to, signal) =>
    this.#do('ensureRebuilt', ref, signal, () => disks.ensureRebuilt(this.room, ref, to, signal));

  ensureNic: ComputeEngine['ensureNic'] = (ref, nic, signal) =>
    this.#do('ensureNic', ref, signal, () => machines.ensureNic(this.room, ref, nic, signal));

  removeNic: ComputeEngine['removeNic'] = (ref, nicId, signal) =>
    this.#do('removeNic', ref, signal, () => machines.removeNic(this.room, ref, nicId, signal));

  ensureSnapshot: ComputeEngine['ensureSnapshot'] = (ref, snapshot, signal) =>
    this.#do('ensureSnapshot', ref, signal, () => disks.ensureSnapshot(this.room, ref, snapshot, signal));

  removeSnapshot: ComputeEngine['removeSnapshot'] = (ref, snapshotId, signal) =>
    this.#do('removeSnapshot', ref, signal, () => disks.removeSnapshot(this.room, ref, snapshotId, signal));

  ensureRestored: ComputeEngine['ensureRestored'] = (ref, to, signal) =>
    this.#do('ensureRestored', ref, signal, () => disks.ensureRestored(this.room, ref, to, signal));

  ensureNetwork: ComputeEngine['ensureNetwork'] = (ref, spec, signal) =>
    this.#do('ensureNetwork', ref, signal, () => networks.ensureNetwork(this.room, ref, spec, signal));

  observeNetwork: ComputeEngine['observeNetwork'] = (ref, signal) =>
    this.#observe('observeNetwork', ref, signal, () => networks.observeNetwork(this.room, ref));

  removeNetwork: ComputeEngine['removeNetwork'] = (ref, signal) =>
    this.#do('removeNetwork', ref, signal, () => networks.removeNetwork(this.room, ref, signal));

  ensureImage: ComputeEngine['ensureImage'] = (ref, source, signal) =>
    this.#do('ensureImage', ref, signal, () => images.ensureImage(this.room, ref, source, signal));

  observeImage: ComputeEngine['observeImage'] = (ref, signal) =>
    this.#observe('observeImage', ref, signal, () => images.observeImage(this.room, ref));

  exportImage: ComputeEngine['exportImage'] = (ref, file, signal) =>
    this.#do('exportImage', ref, signal, () => images.exportImage(this.room, ref, file, signal));

  removeImage: ComputeEngine['removeImage'] = (ref, signal) =>
    this.#do('removeImage', ref, signal, () => images.removeImage(this.room, ref));

  setPassword: ComputeEngine['setPassword'] = (ref, user, password, signal) =>
    this.#do('setPassword', ref, signal, async () => {
      const hash = await hashPassword(password);
      await this.room.changePresent(nameOf(ref), signal, async (_, machine, now) => {
        if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
        if (machines.present(nameOf(ref), machine, now).agent === null)
          throw new EngineRefused('guest_agent_unavailable', 'No agent in the guest answers.');
        const shadow = shadowWith(machine.disk['/etc/shadow'], user, hash);
        const disk = { ...machine.disk, '/etc/shadow': shadow };
        return { ...machine, disk, busyUntil: now + this.room.takes('password') };
      });
    });

  readConsoleLog: ComputeEngine['readConsoleLog'] = (ref, maxBytes, signal) =>
    this.#read('readConsoleLog', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return tail(renderLog(ref.id, machine, now), maxBytes);
    });

  openConsole: ComputeEngine['openConsole'] = (ref, kind, signal) =>
    this.#read('openConsole', ref, signal, async (): Promise<Console> => {
      if (kind === 'graphical') requireCapability(sandboxCapabilities, 'graphicalConsole');
      const { machine, now } = await this.#machine(ref);
      if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
      const log = renderLog(ref.id, machine, now);
      return { protocol: 'serial', stream: new Shell(this.room, ref, machine.guest.hostname, log) };
    });

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range, signal) =>
    this.#read('readSeries', ref, signal, async () => {
      const { machine, now } = await this.#machine(ref);
      return seriesOf(ref.id, machine, metrics, range, now);
    });

  readCapacity: ComputeEngine['readCapacity'] = (signal) =>
    this.#read('readCapacity', null, signal, async () =>
      (await this.room.store.hosts()).map((host) => ({
        host: host.name,
        total: host.total,
        free: freeOf(host),
      })),
    );

  fits: ComputeEngine['fits'] = (account, size, placement, signal) =>
    this.#read('fits', null, signal, () => machines.fits(this.room, account, size, placement));

  watch: ComputeEngine['watch'] = (watcher) => {
    this.room.watchers.add(watcher);
    return () => void this.room.watchers.delete(watcher);
  };

  close(): Promise<void> {
    return this.room.close();
  }
}
