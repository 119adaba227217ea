/** An account with a large disk and a volume on a real Incus, whose operations are run by workers that are killed. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { nameOf } from '../../engines/compute/incus/names.ts';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import { inventoryDifferences } from '../../laws/inventory-agreement.ts';
import { createTestApp, defaultProvider, folderStore, type TestApp } from '../app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../folder.ts';
import { type Kill, KilledWorkers } from '../killed-workers.ts';
import { cancelled } from '../operations.ts';
import { VpsAccount } from '../vps.ts';
import { buildWorker } from '../worker-process.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { type Deadly, DeadlyDoor } from './deadly-door.ts';
import { POOL } from './furnish.ts';
import { furnishForDemo, LOCATION, SYSTEM, servedBy } from './provider.ts';

interface Sizes {
  /** Random bytes on the disk, which cannot be compressed. */
  readonly megabytes: number;
  /** The size of the files in which these bytes are. The rest of them are holes, which cost little. */
  readonly withHoles?: number;
  /** Slow enough that a worker can be killed in the middle of a part. */
  readonly megabytesPerSecond: number;
}

interface Started {
  readonly id: string;
  readonly operation: string;
}

const FILES = 4;

export class KilledRestores {
  readonly app: TestApp;
  readonly workers: KilledWorkers;
  readonly #daemon: TestDaemon;
  readonly #door: DeadlyDoor;
  readonly #folder: string;
  readonly #sizes: Sizes;
  readonly #vps: VpsAccount;
  readonly #images: number;

  private constructor(
    app: TestApp,
    workers: KilledWorkers,
    rest: readonly [TestDaemon, DeadlyDoor, string, Sizes, VpsAccount, number],
  ) {
    this.app = app;
    this.workers = workers;
    [this.#daemon, this.#door, this.#folder, this.#sizes, this.#vps, this.#images] = rest;
  }

  static async open(sizes: Sizes): Promise<KilledRestores> {
    const daemon = await startDaemon('incus');
    await furnishForDemo(daemon);
    const folder = await makeTemporaryFolder();
    // The first backup would create it.
    await mkdir(join(folder, 'store'));
    const store = { ...folderStore(join(folder, 'store')), megabytes_per_second: sizes.megabytesPerSecond };
    const configAt = (engine: Pick<TestDaemon, 'url'>) => {
      const provider = servedBy(engine)(defaultProvider());
      const locations = provider.catalogue.locations.map((location) => ({ ...location, backups: store }));
      return { ...provider, catalogue: { ...provider.catalogue, locations } };
    };
    const app = await createTestApp({ provider: () => configAt(daemon) });
    const program = await buildWorker(folder);
    const workers = new KilledWorkers(app, program);
    const kill = () => workers.replaceAtOnce();
    const door = await DeadlyDoor.open(join(folder, 'door.socket'), daemon.socket, kill);
    await writeFile(join(folder, 'provider.json'), JSON.stringify(configAt(door)));
    await workers.start();
    const images = (await daemon.client.ask<string[]>('GET', '/1.0/images')).length;
    const vps = await VpsAccount.open(app);
    return new KilledRestores(app, workers, [daemon, door, folder, sizes, vps, images]);
  }

  async close(): Promise<void> {
    await this.workers.close();
    this.#door.close();
    await this.app.close();
    await this.#daemon.stop();
    await removeTemporaryFolder(this.#folder);
  }

  get #project(): string {
    return nameOf(this.#vps.account.id);
  }

  async start(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Started> {
    const answer = await this.#vps.send(method, path, body);
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation?: { id: string } }>();
    return { id, operation: operation?.id ?? id };
  }

  /** Returns the id in the answer, after the operation has succeeded in spite of the kills. */
  async finish({ id, operation }: Started, kills: readonly Kill[] = []): Promise<string> {
    expect(await this.workers.endOf(operation, kills)).toMatchObject({ status: 'succeeded', error: null });
    return id;
  }

  /** As `finish`, and a worker is killed at each of these requests to the engine. */
  async finishKilledAt(deadly: readonly Deadly[], start: () => Promise<Started>): Promise<string> {
    this.#door.left = [...deadly];
    const id = await this.finish(await start());
    expect(this.#door.left, 'requests that never came').toEqual([]);
    return id;
  }

  /**
   * Repeats the work, and kills a worker after the first request of it that changes something at the engine, then after
   * the second, and so on. Returns how many such requests there are.
   */
  async forEachChange(work: () => Promise<void>): Promise<number> {
    for (let skips = 0; ; skips++) {
      this.#door.left = [{ request: /^(POST|PUT|PATCH|DELETE) /, at: 'answer', skips }];
      await work();
      if (this.#door.left.length > 0) {
        this.#door.left = [];
        return skips;
      }
    }
  }

  /** Kills a worker at the request, and cancels the operation before the next worker goes on with it. */
  async cancelKilledAt(deadly: Deadly, start: () => Promise<Started>): Promise<void> {
    this.#door.left = [deadly];
    const starting = start();
    this.workers.whileDead = async () => cancelled(this.app, (await starting).operation);
    const ended = await this.workers.endOf((await starting).operation, []);
    this.workers.whileDead = async () => undefined;
    expect(ended.status).toBe('cancelled');
    expect(this.#door.left, 'requests that never came').toEqual([]);
  }

  startVm(source: object): Promise<Started> {
    const name = `m-${Math.random().toString(36).slice(2, 8)}`;
    const user_data = '#cloud-config\n';
    const body = { name, location: LOCATION, plan: 'flex-1-1', source, ssh_key_ids: [], user_data };
    return this.start('POST', 'vms', body);
  }

  async createVm(
    source: object = { type: 'image', image_id: SYSTEM },
    kills: readonly Kill[] = [],
  ): Promise<Vm> {
    return this.readVm(await this.finish(await this.startVm(source), kills));
  }

  async power(vmId: string, type: 'power_on' | 'power_off'): Promise<void> {
    await this.finish(await this.start('POST', `vms/${vmId}/actions`, { type }));
  }

  async createVolume(vmId: string): Promise<{ readonly id: string; readonly device_path: string }> {
    const body = { name: 'data', location: LOCATION, size_gb: 10, vm_id: vmId };
    const id = await this.finish(await this.start('POST', 'volumes', body));
    return (await this.#vps.send('GET', `volumes/${id}`)).json();
  }

  readVm = (id: string): Promise<Vm> => this.#vps.readVm(id);

  /** The output of a script that runs as root in the machine. */
  async #run(id: string, script: string): Promise<string> {
    const path = `/1.0/instances/${nameOf(id)}`;
    const command = ['sh', '-c', `(${script}) > /tmp/out 2>&1`];
    const body = { command, 'wait-for-websocket': false, interactive: false };
    await this.#daemon.client.run('POST', `${path}/exec`, { project: this.#project, body });
    return this.#daemon.client.askText(`${path}/files`, {
      project: this.#project,
      query: { path: '/tmp/out' },
    });
  }

  /** The SHA-256 of each file in the folder. */
  sums = (id: string, folder = '/root'): Promise<string> => this.#run(id, `cd ${folder} && sha256sum *`);

  /** Replaces the files in the folder by other ones, some of them with other names. Returns their sums. */
  async refill(id: string, folder = '/root'): Promise<string> {
    const { megabytes, withHoles = megabytes } = this.#sizes;
    const blocks = Math.ceil((megabytes * 1024) / FILES);
    const last = Math.ceil((withHoles * 1024) / FILES) - 1;
    const mark = Math.random().toString(36).slice(2);
    const random = 'dd if=/dev/urandom of=part-$i bs=1024 conv=notrunc';
    const fill = `${random} count=${blocks} && ${random} count=1 seek=${last}`;
    const fillAll = `for i in $(seq ${FILES}); do ${fill} || exit 1; done 2>/dev/null`;
    await this.#run(id, `cd ${folder} && rm -f * && ${fillAll} && echo ${mark} > only-${mark} && sync`);
    return this.sums(id, folder);
  }

  /** How many parts of the safety backup are stored. */
  async partsOfSafety(): Promise<number> {
    const rows = await this.app.services.db
      .selectFrom('backup_parts')
      .innerJoin('vm_backups', 'vm_backups.id', 'backup_parts.backup_id')
      .select('number')
      .where('vm_backups.status', '=', 'creating')
      .execute();
    return rows.length;
  }

  async countOf(type: string): Promise<number> {
    const { db } = this.app.services;
    return (
      await db
        .selectFrom('events')
        .select('id')
        .where('type', '=', type as never)
        .execute()
    ).length;
  }

  async backupsOfKind(kind: 'manual' | 'safety'): Promise<number> {
    const { db } = this.app.services;
    return (await db.selectFrom('vm_backups').select('id').where('kind', '=', kind).execute()).length;
  }

  /** The engine and the store have what the tables name, and nothing else; each resource is paid for once. */
  async expectNothingLeft(): Promise<void> {
    const { db } = this.app.services;
    const { client } = this.#daemon;
    const project = this.#project;
    const query = { recursion: 1 };
    const names = (found: readonly { readonly name: string }[]) =>
      found.map(({ name }) => name.replace(/.*\//, '')).sort();
    expect((await client.ask<string[]>('GET', '/1.0/images')).length, 'images').toBe(this.#images);
    expect(await db.selectFrom('passing_images').selectAll().execute()).toEqual([]);
    expect(await inventoryDifferences(this.app)).toEqual([]);
    for (const { id } of await db.selectFrom('vms').select('id').execute()) {
      const path = `/1.0/instances/${nameOf(id)}/snapshots`;
      const taken = await client.ask<{ name: string }[]>('GET', path, { project, query });
      const rows = await db.selectFrom('vm_snapshots').select('id as name').where('vm_id', '=', id).execute();
      expect(names(taken)).toEqual(names(rows));
    }
    for (const { id } of await db.selectFrom('vps_volumes').select('id').execute()) {
      const path = `/1.0/storage-pools/${POOL}/volumes/custom/${nameOf(id)}/snapshots`;
      const taken = await client.ask<{ name: string }[]>('GET', path, { project, query });
      const rows = await db
        .selectFrom('volume_snapshots')
        .select('id as name')
        .where('volume_id', '=', id)
        .execute();
      expect(names(taken)).toEqual(names(rows));
    }
    const backups = await db.selectFrom('vm_backups').select(['status', 'part_count']).execute();
    expect(backups.filter(({ status }) => status !== 'available')).toEqual([]);
    const stored = await readdir(join(this.#folder, 'store'), { recursive: true, withFileTypes: true });
    const parts = backups.reduce((sum, { part_count }) => sum + (part_count ?? 0), 0);
    expect(stored.filter((each) => each.isFile()).length, 'files in the store').toBe(parts);
    const spans = await db
      .selectFrom('meter_spans')
      .select('resource_id')
      .where('ended_at', 'is', null)
      .execute();
    const owned = await db.selectFrom('resources').select('id').execute();
    const paid = spans.map(({ resource_id }) => resource_id);
    expect(new Set(paid).size, 'paid twice').toBe(paid.length);
    expect(
      paid.filter((id) => !owned.some((each) => each.id === id)),
      'paid, but gone',
    ).toEqual([]);
  }
}
