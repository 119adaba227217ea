/** Archives of several parts in a store that fails: interrupted, full, cut off. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineRefused, EngineUnreachable } from '../../../engines/errors.ts';
import { FolderStore } from '../../../engines/objects/folder.ts';
import type { ObjectStore } from '../../../engines/objects/port.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { fetchArchive, PART_BYTES, readArchive, removeArchive, storeArchive } from './archive.ts';
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

async function archiveOf(bytes: number): Promise<{ file: string; sha256: string; content: Buffer }> {
  const file = join(folder, 'archive');
  const content = randomBytes(bytes);
  await writeFile(file, content);
  return { file, content, sha256: createHash('sha256').update(content).digest('hex') };
}

const store = (services: TestApp['services'], file: string) =>
  storeArchive(app.services.db, services, row, file, signal);

describe('an archive of several parts', () => {
  it('is read back as it was, whole and in a range over two parts', async () => {
    const { services } = storeThat(() => null);
    const { file, sha256, content } = await archiveOf(2 * PART_BYTES + 5);
    const archive = await store(services, file);
    expect(archive).toEqual({ size_bytes: content.length, sha256, part_count: 3 });
    const copy = join(folder, 'copy');
    const stored = { ...row, ...archive };
    await fetchArchive(app.services.db, services, stored, copy, signal);
    expect((await readFile(copy)).equals(content)).toBe(true);
    const range = { from: PART_BYTES - 3, to: PART_BYTES + 4 };
    const bytes: Buffer[] = [];
    for await (const part of readArchive(app.services.db, services, stored, range)) bytes.push(part);
    expect(Buffer.concat(bytes).equals(content.subarray(range.from, range.to))).toBe(true);
  });

  it('continues after an interruption with the part that is missing', async () => {
    const cut = storeThat((writes) => (writes > 2 ? new EngineUnreachable('The connection was cut.') : null));
    const { file, sha256 } = await archiveOf(3 * PART_BYTES);
    await expect(store(cut.services, file)).rejects.toThrow(/cut/);
    expect(cut.written).toHaveLength(2);
    const { services, written } = storeThat(() => null);
    const archive = await store(services, file);
    expect(written).toEqual([expect.stringMatching(/00000003$/)]);
    expect(archive.sha256).toBe(sha256);
    await fetchArchive(app.services.db, services, { ...row, ...archive }, join(folder, 'copy'), signal);
  });

  it('sends all parts again that differ from those of the interrupted attempt', async () => {
    const cut = storeThat((writes) => (writes > 2 ? new EngineUnreachable('The connection was cut.') : null));
    await expect(store(cut.services, (await archiveOf(3 * PART_BYTES)).file)).rejects.toThrow();
    const { services, written } = storeThat(() => null);
    const archive = await store(services, (await archiveOf(3 * PART_BYTES)).file);
    expect(written).toHaveLength(3);
    await fetchArchive(app.services.db, services, { ...row, ...archive }, join(folder, 'copy'), signal);
  });

  it('is refused if a part is missing or two parts were exchanged', async () => {
    const { services, store: objects } = storeThat(() => null);
    const archive = { ...row, ...(await store(services, (await archiveOf(2 * PART_BYTES)).file)) };
    const [first, second] = await objects.list(`${row.account_id}/${row.id}/`);
    const bytes = (await objects.get(second!.key))!;
    await objects.put(first!.key, bytes);
    const copy = join(folder, 'copy');
    const fetching = () => fetchArchive(app.services.db, services, archive, copy, signal);
    await expect(fetching()).rejects.toThrow(EngineRefused);
    await rm(join(folder, 'store', first!.key));
    await expect(fetching()).rejects.toThrow(/missing/);
  });

  it('leaves nothing when it is removed', async () => {
    const { services, store: objects } = storeThat(() => null);
    await store(services, (await archiveOf(PART_BYTES + 1)).file);
    await removeArchive(app.services.db, services, row, signal);
    expect(await objects.list(`${row.account_id}/`)).toEqual([]);
    const again = storeThat(() => null);
    await store(again.services, (await archiveOf(1)).file);
    expect(again.written).toHaveLength(1);
  });
});
