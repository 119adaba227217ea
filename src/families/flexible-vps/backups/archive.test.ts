/** Archives of several parts in a store that fails: interrupted, full, cut off. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineRefused, EngineUnreachable } from '../../../engines/errors.ts';
import { FolderStore } from '../../../engines/objects/folder.ts';
import type { ObjectStore } from '../../../engines/objects/port.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { contentOfArchive, PART_BYTES, readArchive, removeArchive, storeArchive } from './archive.ts';
import type { Backup } from './schema.ts';
import { readBackup } from './store.ts';
import type { BackupRow } from './table.ts';

let app: TestApp;
let folder: string;
let row: BackupRow;
const signal = new AbortController().signal;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostplane-archive-'));
  const mine = await VpsAccount.open(app);
  const vm = await mine.vm();
  const answer = await mine.send('POST', 'backups', { vm_id: vm.id });
  // Its operation is never run: the test does the work of its steps.
  row = (await readBackup(app.services.db, answer.json<Backup>().id))!;
});
afterEach(async () => {
  await settle(app);
  await rm(folder, { recursive: true });
});

/** Counts the writes, and fails from a certain one on. */
function storeThat(fail: (writes: number) => Error | null) {
  const real = new FolderStore({ location: 'fra1', folder: join(folder, 'store'), megabytesPerSecond: null });
  const written: string[] = [];
  const store: ObjectStore = {
    driver: 'folder',
    location: 'fra1',
    capabilities: {},
    downloads: real.downloads,
    async put(key, bytes) {
      const error = fail(written.length + 1);
      if (error !== null) throw error;
      written.push(key);
      await real.put(key, bytes);
    },
    get: (key, at) => real.get(key, at),
    list: (prefix) => real.list(prefix),
    removeAll: (prefix) => real.removeAll(prefix),
    close: async () => undefined,
  };
  const services = { ...app.services, objects: { at: () => store, all: [store] } };
  return { services, written, store };
}

function archiveOf(bytes: number): { sha256: string; content: Buffer } {
  const content = randomBytes(bytes);
  return { content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** In chunks that do not fit into parts, as an engine sends them. */
async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 1_000_003) yield content.subarray(at, at + 1_000_003);
}

const store = (services: TestApp['services'], content: Buffer) =>
  storeArchive(app.services.db, services, row, chunksOf(content), signal);

async function allOf(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of bytes) read.push(chunk);
  return Buffer.concat(read);
}

/** Reads the whole archive, as an engine does. */
const fetchAll = (services: TestApp['services'], stored: BackupRow) =>
  allOf(contentOfArchive(app.services.db, services, stored).read(signal));

describe('an archive of several parts', () => {
  it('is read back unchanged, as a whole and in a range across two parts', async () => {
    const { services } = storeThat(() => null);
    const { sha256, content } = archiveOf(2 * PART_BYTES + 5);
    const archive = await store(services, content);
    expect(archive).toEqual({ size_bytes: content.length, sha256, part_count: 3 });
    const stored = { ...row, ...archive };
    expect((await fetchAll(services, stored)).equals(content)).toBe(true);
    const range = { from: PART_BYTES - 3, to: PART_BYTES + 4 };
    const bytes = await allOf(readArchive(app.services.db, services, stored, range));
    expect(bytes.equals(content.subarray(range.from, range.to))).toBe(true);
  });

  it.each([1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1])('of %i bytes is read back', async (size) => {
    const { services } = storeThat(() => null);
    const { content } = archiveOf(size);
    const archive = await store(services, content);
    expect(archive.part_count).toBe(Math.ceil(size / PART_BYTES));
    expect((await fetchAll(services, { ...row, ...archive })).equals(content)).toBe(true);
  });

  it('is not served completely if its SHA-256 differs', async () => {
    const { services } = storeThat(() => null);
    const archive = await store(services, archiveOf(PART_BYTES + 1).content);
    const stored = { ...row, ...archive, sha256: 'another' };
    let given = 0;
    const reading = async () => {
      for await (const bytes of contentOfArchive(app.services.db, services, stored).read())
        given += bytes.length;
    };
    await expect(reading()).rejects.toThrow(EngineRefused);
    expect(given).toBe(PART_BYTES);
  });

  it('is completed after an interruption with the missing part only', async () => {
    const cut = storeThat((writes) => (writes > 2 ? new EngineUnreachable('The connection was cut.') : null));
    const { content, sha256 } = archiveOf(3 * PART_BYTES);
    await expect(store(cut.services, content)).rejects.toThrow(/cut/);
    expect(cut.written).toHaveLength(2);
    const { services, written } = storeThat(() => null);
    const archive = await store(services, content);
    expect(written).toEqual([expect.stringMatching(/00000003$/)]);
    expect(archive.sha256).toBe(sha256);
    await fetchAll(services, { ...row, ...archive });
  });

  it('is sent again from the first part that differs from the interrupted attempt', async () => {
    const cut = storeThat((writes) => (writes > 2 ? new EngineUnreachable('The connection was cut.') : null));
    await expect(store(cut.services, archiveOf(3 * PART_BYTES).content)).rejects.toThrow();
    const { services, written } = storeThat(() => null);
    const archive = await store(services, archiveOf(3 * PART_BYTES).content);
    expect(written).toHaveLength(3);
    await fetchAll(services, { ...row, ...archive });
  });

  it('is refused if a part is missing or two parts are swapped', async () => {
    const { services, store: objects } = storeThat(() => null);
    const archive = { ...row, ...(await store(services, archiveOf(2 * PART_BYTES).content)) };
    const [first, second] = await objects.list(`${row.account_id}/${row.id}/`);
    const bytes = (await objects.get(second!.key))!;
    await objects.put(first!.key, bytes);
    const fetching = () => fetchAll(services, archive);
    await expect(fetching()).rejects.toThrow(EngineRefused);
    await rm(join(folder, 'store', first!.key));
    await expect(fetching()).rejects.toThrow(/missing/);
  });

  it('has no objects left in the store after its removal', async () => {
    const { services, store: objects } = storeThat(() => null);
    await store(services, archiveOf(PART_BYTES + 1).content);
    await removeArchive(app.services.db, services, row, signal);
    expect(await objects.list(`${row.account_id}/`)).toEqual([]);
    const again = storeThat(() => null);
    await store(again.services, archiveOf(1).content);
    expect(again.written).toHaveLength(1);
  });
});
