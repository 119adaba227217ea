import { expect } from 'vitest';
import { freshId } from '../../contract/fresh-id.ts';
import type * as suite from '../../contract/suite.ts';
import type {
  CapabilityName,
  ComputeEngine,
  Guest,
  ImageRef,
  Instance,
  InstanceSpec,
  NetworkSpec,
  Nic,
  Placement,
  Ref,
  Size,
  Volume,
  VolumeSpec,
} from '../port.ts';

/** The driver-specific part of the compute suite: the images of the driver, and access to the inside of its guests. */
export interface Harness extends suite.Harness<ComputeEngine> {
  /** An image of the provider that boots and contains cloud-init and the guest agent. */
  readonly image: ImageRef;
  readonly architecture: InstanceSpec['architecture'];
  readonly size: Size;
  /** Writes an image file in the format that the engine exports. Returns the disk size that the image needs. */
  writeImage(file: string): Promise<{ readonly minDiskGb: number }>;
  writeInside(ref: Ref, path: string, content: string): Promise<void>;
  /** Returns null if the guest has no such file. */
  readInside(ref: Ref, path: string): Promise<string | null>;
  /** Writes a text to the volume from inside a machine that has it. */
  writeVolume(machine: Ref, volume: Volume, text: string): Promise<void>;
  /** Returns the last text written; null if the machine does not have the volume, or it is empty. */
  readVolume(machine: Ref, volume: Volume): Promise<string | null>;
  /** Whether the address answers a ping from inside a running machine. */
  reaches(from: Ref, address: string): Promise<boolean>;
  /** Makes the guest ignore all further shutdown requests. */
  deafen(ref: Ref): Promise<void>;
  shutDownInside(ref: Ref): Promise<void>;
}

export type Use = suite.Use<Lab, CapabilityName>;

/** Creates the machines, networks and images that a test needs, and removes them after the test. */
export class Lab implements suite.Lab<ComputeEngine> {
  readonly harness: Harness;
  readonly account = freshId('acc');
  #instances: Ref[] = [];
  #networks: Ref[] = [];
  #firewalls: Ref[] = [];
  #images: Ref[] = [];
  #volumes: Ref[] = [];
  #gateways: Ref[] = [];
  #addresses = 10;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  get engine(): ComputeEngine {
    return this.harness.engine;
  }

  ref(prefix = 'vm'): Ref {
    const ref = { account: this.account, id: freshId(prefix) };
    const kept = {
      vm: this.#instances,
      net: this.#networks,
      fw: this.#firewalls,
      img: this.#images,
      vol: this.#volumes,
      vpn: this.#gateways,
    }[prefix];
    kept?.push(ref);
    return ref;
  }

  token = (): string => freshId('op');

  nic(nic: Partial<Nic> = {}): Nic {
    const index = this.#addresses++;
    const mac = `02:00:00:00:00:${(index % 256).toString(16).padStart(2, '0')}`;
    return {
      id: freshId('nic'),
      index: 0,
      network: null,
      mac,
      ipv4: `192.0.2.${index % 250}`,
      ipv6: null,
      aliases: [],
      antiSpoofing: true,
      ...nic,
    };
  }

  guest(guest: Partial<Guest> = {}): Guest {
    const plain = {
      seed: freshId('seed'),
      hostname: 'web-1',
      userData: null,
      sshKeys: [],
      passwordHash: null,
    };
    return { ...plain, ...guest };
  }

  spec(spec: Partial<InstanceSpec> = {}): InstanceSpec {
    return {
      source: { image: this.harness.image },
      architecture: this.harness.architecture,
      size: this.harness.size,
      nics: [],
      guest: this.guest(),
      bootMode: 'uefi',
      secureBoot: false,
      placement: null,
      ...spec,
    };
  }

  networkSpec(spec: Partial<NetworkSpec> = {}): NetworkSpec {
    return {
      ipv4Cidr: '10.20.0.0/24',
      ipv4Gateway: '10.20.0.1',
      ipv6Cidr: null,
      nat: { ipv4: true, ipv6: false },
      dns: { servers: [], domain: null },
      mtu: 1442,
      routes: [],
      ...spec,
    };
  }

  async network(spec: Partial<NetworkSpec> = {}): Promise<Ref> {
    const ref = this.ref('net');
    await this.engine.ensureNetwork(ref, this.networkSpec(spec));
    return ref;
  }

  volumeSpec(spec: Partial<VolumeSpec> = {}): VolumeSpec {
    const kind = this.engine.capabilities.blockVolumes === true ? 'block' : 'filesystem';
    return { kind, sizeGb: 1, source: null, ...spec };
  }

  async volume(spec: Partial<VolumeSpec> = {}): Promise<Ref> {
    const ref = this.ref('vol');
    await this.engine.ensureVolume(ref, this.volumeSpec(spec));
    return ref;
  }

  async stopped(spec: Partial<InstanceSpec> = {}): Promise<Ref> {
    const ref = this.ref();
    await this.engine.ensureInstance(ref, this.spec(spec));
    return ref;
  }

  async running(spec: Partial<InstanceSpec> = {}): Promise<Ref> {
    const ref = await this.stopped(spec);
    await this.engine.ensureRunning(ref);
    await expect.poll(async () => (await this.seen(ref)).agent).not.toBeNull();
    return ref;
  }

  /** Waits until the guest of a new machine has booted: before that, it may miss a request to shut down. */
  async booted(ref: Ref): Promise<void> {
    await expect.poll(() => this.engine.readConsoleLog(ref, 10_000)).toContain('login');
  }

  /** Asks the guest to shut down and waits until it has. */
  async shutDown(ref: Ref): Promise<void> {
    await this.engine.requestShutdown(ref, 60);
    await expect.poll(async () => (await this.seen(ref)).state).toBe('stopped');
  }

  async seen(ref: Ref): Promise<Instance> {
    const instance = await this.engine.observeInstance(ref);
    if (instance === null) throw new Error(`The engine does not know ${ref.id}.`);
    return instance;
  }

  group(placement: Partial<Placement> = {}): Placement {
    return { groupId: freshId('pg'), policy: 'spread', strict: true, others: [], ...placement };
  }

  async clear(): Promise<void> {
    for (const ref of this.#instances.splice(0)) await this.engine.removeInstance(ref);
    for (const ref of this.#gateways.splice(0)) await this.engine.removeGateway(ref);
    for (const ref of this.#volumes.splice(0)) await this.engine.removeVolume(ref);
    for (const ref of this.#firewalls.splice(0)) await this.engine.removeFirewall(ref);
    for (const ref of this.#networks.splice(0)) await this.engine.removeNetwork(ref);
    for (const ref of this.#images.splice(0)) await this.engine.removeImage(ref);
  }
}
