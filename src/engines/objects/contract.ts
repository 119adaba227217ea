/** The contract of the object store port. Every driver passes these tests. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { freshId } from '../contract/fresh-id.ts';
import { describePort, type Harness, type Lab, type Use } from '../contract/suite.ts';
import type { ObjectStore } from './port.ts';

class ObjectsLab implements Lab<ObjectStore> {
  readonly harness: Harness<ObjectStore>;
  /** The objects of a test are below it, so that tests do not see each other's. */
  prefix = `${freshId('acc')}/`;

  constructor(harness: Harness<ObjectStore>) {
    this.harness = harness;
  }

  async clear(): Promise<void> {
    await this.harness.engine.removeAll(this.prefix);
    this.prefix = `${freshId('acc')}/`;
  }
}

/** More than S3 lists in one answer. */
const MANY = 1001;
/** A little more than a part of a backup. */
const LARGE = 8 * 1024 * 1024 + 29;

function describeObjects({ lab }: Use<ObjectsLab, never>): void {
  const store = (): ObjectStore => lab().harness.engine;
  const at = (name: string): string => `${lab().prefix}${name}`;

  it('returns the content of the last put, also in another process', async () => {
    await store().put(at('b/1'), Buffer.from('old'));
    await store().put(at('b/1'), Buffer.from('new'));
    const other = await lab().harness.reopen();
    for (const each of [store(), other]) {
      expect((await each.get(at('b/1')))?.toString()).toBe('new');
      expect(await each.list(lab().prefix)).toEqual([{ key: at('b/1'), sizeBytes: 3 }]);
    }
    await other.close();
  });

  it.each([0, 1, LARGE])('returns %i bytes unchanged', async (size) => {
    const bytes = randomBytes(size);
    await store().put(at('1'), bytes);
    expect((await store().get(at('1')))?.equals(bytes)).toBe(true);
  });

  it('returns nothing for keys that were never put', async () => {
    expect(await store().get(at('1'))).toBeNull();
    expect(await store().list(lab().prefix)).toEqual([]);
    await store().removeAll(lab().prefix);
  });

  it('removes all objects of a prefix, and no others', async () => {
    for (const name of ['a/1', 'a/b/2', 'ab/1']) await store().put(at(name), Buffer.from('1'));
    await store().removeAll(at('a/'));
    expect(await store().list(lab().prefix)).toEqual([{ key: at('ab/1'), sizeBytes: 1 }]);
    expect(await store().get(at('a/1'))).toBeNull();
  });

  it('lists and removes more objects than fit into one answer', async () => {
    const names = Array.from({ length: MANY }, (_, index) => at(String(index).padStart(8, '0')));
    for (let first = 0; first < MANY; first += 20)
      await Promise.all(names.slice(first, first + 20).map((name) => store().put(name, Buffer.from('1'))));
    expect((await store().list(lab().prefix)).map(({ key }) => key)).toEqual(names);
    await store().removeAll(lab().prefix);
    expect(await store().list(lab().prefix)).toEqual([]);
  });

  it('stores nothing of a put that was aborted', async () => {
    const reason = new Error('enough');
    await expect(store().put(at('1'), Buffer.from('1'), AbortSignal.abort(reason))).rejects.toThrow();
    expect(await store().list(lab().prefix)).toEqual([]);
  });

  it('stores one complete object after many concurrent puts with the same key', async () => {
    const contents = Array.from({ length: 10 }, (_, index) => Buffer.alloc(100_000, index));
    await Promise.all(contents.map((bytes) => store().put(at('1'), bytes)));
    const found = await store().get(at('1'));
    expect(contents.some((bytes) => found?.equals(bytes))).toBe(true);
  });
}

export function describeObjectStore(title: string, open: () => Promise<Harness<ObjectStore>>): void {
  describePort(title, {}, async () => new ObjectsLab(await open()), [describeObjects]);
}
