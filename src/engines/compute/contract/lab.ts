import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  type Capabilities,
  type CapabilityName,
  type ComputeEngine,
  EngineRefused,
  type Guest,
  type ImageRef,
  type Instance,
  type InstanceSpec,
  type NetworkSpec,
  type Nic,
  type Placement,
  type Ref,
  type Size,
  type Stop,
} from '../port.ts';

/** What the suite cannot know of a driver: how to open it, and how to reach into its guests. */
export interface Harness {
  readonly engine: ComputeEngine;
  /** One of the provider's that starts, with cloud-init and an agent. */
  readonly image: ImageRef;
  readonly architecture: InstanceSpec['architecture'];
  readonly size: Size;
  /** Makes a file of the format that the engine itself writes; says how large a disk it needs. */
  writeImage(file: string): Promise<{ readonly minDiskGb: number }>;
  /** The same engine with nothing remembered in this process. */
  reopen(): Promise<ComputeEngine>;
  writeInside(ref: Ref, path: string, content: string): Promise<void>;
  /** `null`: there is no such file. */
  readInside(ref: Ref, path: string): Promise<string | null>;
  /** From now on the guest does not heed requests to shut down. */
  deafen(ref: Ref): Promise<void>;
  shutDownInside(ref: Ref): Promise<void>;
  close(): Promise<void>;
}

export interface Use {
  readonly capabilities: Capabilities;
  readonly lab: () => Lab;
}

export const GRACEFUL: Stop = { force: false, timeoutSeconds: 30 };
export const FORCED: Stop = { force: true };

const fresh = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`;

/** Makes what a test needs and takes it all away again. */
export class Lab {
  readonly harness: Harness;
  readonly account = fresh('acc');
  #instances: Ref[] = [];
  #networks: Ref[] = [];
  #images: Ref[] = [];
  #addresses = 10;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  get engine(): ComputeEngine {
    return this.harness.engine;
  }

  ref(prefix = 'vm'): Ref {
    const ref = { account: this.account, id: fresh(prefix) };
    const kept = { vm: this.#instances, net: this.#networks, img: this.#images }[prefix];
    kept?.push(ref);
    return ref;
  }

  token = (): string => fresh('op');

  nic(nic: Partial<Nic> = {}): Nic {
    const index = this.#addresses++;
    const mac = `02:00:00:00:00:${(index % 256).toString(16).padStart(2, '0')}`;
    return {
      id: fresh('nic'),
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
    const plain = { seed: fresh('seed'), hostname: 'web-1', userData: null, sshKeys: [], passwordHash: null };
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

  async seen(ref: Ref): Promise<Instance> {
    const instance = await this.engine.observeInstance(ref);
    if (instance === null) throw new Error(`The engine does not know ${ref.id}.`);
    return instance;
  }

  group(placement: Partial<Placement> = {}): Placement {
    return { groupId: fresh('pg'), policy: 'spread', strict: true, others: [], ...placement };
  }

  async clear(): Promise<void> {
    for (const ref of this.#instances.splice(0)) await this.engine.removeInstance(ref);
    for (const ref of this.#networks.splice(0)) await this.engine.removeNetwork(ref);
    for (const ref of this.#images.splice(0)) await this.engine.removeImage(ref);
  }
}

/** The code of the refusal; anything but a refusal is a failure of the test. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof EngineRefused) return error.code;
  if (error === null) return 'not refused';
  throw error;
}

/** With the reason in the name of the test where the driver cannot do it. */
export function itIfCapable(
  { capabilities }: Use,
  capability: CapabilityName,
  name: string,
  test: () => Promise<void>,
): void {
  const reason = capabilities[capability];
  if (reason === true) it(name, test);
  else it.skip(`${name} (${reason})`, test);
}
