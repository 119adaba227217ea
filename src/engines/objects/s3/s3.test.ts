/** The store in S3 against a real Ceph RGW, and against one that fails. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCeph, type TestCeph, whyNoCeph } from '../../../testing/ceph.ts';
import { type FaultyStore, openFaultyStore } from '../../../testing/faulty-store.ts';
import { makeBucket, type TestBucket } from '../../../testing/s3-bucket.ts';
import { refusal } from '../../contract/refusal.ts';
import { EngineUnreachable } from '../../errors.ts';
import { describeObjectStore } from '../contract.ts';
import { examineObjects } from '../doctor.ts';
import { openStore } from '../open.ts';
import type { ObjectStore } from '../port.ts';
import { backupPlaceOf } from '../settings.ts';
import { S3Store } from './driver.ts';

const reason = whyNoCeph();
const fixture = (name: string): string => join(import.meta.dirname, '../../../testing/fixtures', name);

describe.skipIf(reason !== null)(`S3 of a Ceph RGW${reason === null ? '' : ` (${reason})`}`, () => {
  let ceph: TestCeph;
  beforeAll(async () => {
    ceph = await startCeph();
  });
  afterAll(() => ceph?.stop());

  describeObjectStore('a store in a bucket', async () => {
    const bucket = await makeBucket(ceph);
    const open = () => openStore('fra1', backupPlaceOf(bucket.setting));
    const engine = open();
    return {
      engine,
      reopen: async () => open(),
      async close() {
        await engine.close();
        await bucket.close();
      },
    };
  });

  describe('a bucket that fails', () => {
    let proxy: FaultyStore;
    let bucket: TestBucket;
    let store: ObjectStore;
    const bytes = Buffer.alloc(300_000, 7);

    beforeAll(async () => {
      proxy = await openFaultyStore(ceph.endpoint);
      bucket = await makeBucket(ceph, proxy.endpoint);
      store = openStore('fra1', backupPlaceOf(bucket.setting));
    });
    afterEach(async () => {
      proxy.faultOf = () => null;
      await store.removeAll('a/');
      proxy.seen.length = 0;
    });
    afterAll(async () => {
      await store?.close();
      await proxy?.close();
      await bucket?.close();
    });

    /** Fails this many requests, then none. */
    const failing = (times: number, fault: ReturnType<FaultyStore['faultOf']>): void => {
      let left = times;
      proxy.faultOf = () => (left-- > 0 ? fault : null);
    };
    const keys = async () => (await store.list('a/')).map(({ key }) => key);

    it.each([
      ['an error', { status: 500, code: 'InternalError' }],
      ['a request to slow down', { status: 503, code: 'SlowDown' }],
      ['a connection that is cut while an object is sent', { cutAfter: 100_000 }],
    ])('is retried after %s', async (_, fault) => {
      failing(2, fault);
      await store.put('a/1', bytes);
      expect((await store.get('a/1'))?.equals(bytes)).toBe(true);
      failing(3, fault);
      await expect(store.put('a/2', bytes)).rejects.toThrow(EngineUnreachable);
      expect(await keys()).toEqual(['a/1']);
    });

    it('returns no partial object if the connection is cut', async () => {
      await store.put('a/1', bytes);
      failing(2, { cutAnswerAfter: 100_000 });
      expect((await store.get('a/1'))?.equals(bytes)).toBe(true);
      failing(3, { cutAnswerAfter: 100_000 });
      await expect(store.get('a/1')).rejects.toThrow(EngineUnreachable);
    });

    it('is not retried if it reports that it is full', async () => {
      failing(1, { status: 507, code: '' });
      expect(await refusal(store.put('a/1', bytes))).toBe('capacity_unavailable');
      expect(proxy.seen).toHaveLength(1);
    });

    it('is retried when it is silent for too long, before or within its answer', async () => {
      const place = backupPlaceOf(bucket.setting);
      if (place.driver !== 's3') throw new Error('not a bucket');
      const limits = { silenceMs: 300, totalMs: 60_000 };
      const impatient = new S3Store({ location: 'fra1', ...place, limits });
      failing(2, 'silent');
      await impatient.put('a/1', bytes);
      for (const fault of ['silent', { stallAnswerAfter: 100_000 }] as const) {
        failing(2, fault);
        expect((await impatient.get('a/1'))?.equals(bytes)).toBe(true);
        failing(3, fault);
        await expect(impatient.get('a/1')).rejects.toThrow(EngineUnreachable);
      }
      await impatient.close();
    });

    it('is written no faster than the configured bandwidth', async () => {
      const slow = openStore('fra1', backupPlaceOf({ ...bucket.setting, megabytes_per_second: 1 }));
      const before = performance.now();
      await slow.put('a/1', bytes);
      // The last of five slices waits for the four before it: 262,144 bytes at 1 MB/s.
      expect(performance.now() - before).toBeGreaterThan(250);
      await slow.close();
    });

    it('ends a call that is aborted while the store does not answer', async () => {
      const reasonOfTest = new Error('enough');
      const abort = new AbortController();
      proxy.faultOf = () => {
        abort.abort(reasonOfTest);
        return 'silent';
      };
      await expect(store.get('a/1', abort.signal)).rejects.toThrow(reasonOfTest);
    });

    it('is reported as unreachable, not as empty, if it does not exist', async () => {
      const other = openStore('fra1', backupPlaceOf({ ...bucket.setting, bucket: 'another' }));
      await expect(other.get('a/1')).rejects.toThrow(EngineUnreachable);
      await other.close();
    });
  });

  describe('a bucket behind TLS', () => {
    it('is used only if the certificate is of a trusted authority', async () => {
      const [cert, key] = ['localhost.crt', 'localhost.key'].map((name) =>
        readFileSync(fixture(name), 'utf8'),
      );
      const proxy = await openFaultyStore(ceph.endpoint, { cert: cert!, key: key! });
      const bucket = await makeBucket(ceph, proxy.endpoint);
      const setting = { ...bucket.setting, ca_file: fixture('localhost.crt') };
      const trusting = openStore('fra1', backupPlaceOf(setting));
      await trusting.put('a/1', Buffer.from('1'));
      expect((await trusting.get('a/1'))?.toString()).toBe('1');
      const other = openStore('fra1', backupPlaceOf(bucket.setting));
      await expect(other.get('a/1')).rejects.toThrow(EngineUnreachable);
      expect(proxy.seen.filter((each) => each.startsWith('GET '))).toHaveLength(1);
      const [found] = await examineObjects(bucket.setting, { slug: 'fra1' });
      expect(found?.detail).toMatch(/certificate/);
      expect(found?.fix).toMatch(/ca_file/);
      await trusting.close();
      await other.close();
      await proxy.close();
      await bucket.close();
    });
  });

  describe('a bucket with a quota', () => {
    it('refuses objects beyond the quota, and keeps the others', async () => {
      const bucket = await makeBucket(ceph);
      const store = openStore('fra1', backupPlaceOf(bucket.setting));
      await store.put('a/1', Buffer.alloc(50_000));
      await ceph.limit(bucket.user, 100_000);
      expect(await refusal(store.put('a/2', Buffer.alloc(80_000)))).toBe('capacity_unavailable');
      expect(await store.list('a/')).toEqual([{ key: 'a/1', sizeBytes: 50_000 }]);
      await store.close();
      await bucket.close();
    });
  });

  describe('the doctor', () => {
    let bucket: TestBucket;
    beforeAll(async () => {
      bucket = await makeBucket(ceph);
    });
    afterAll(() => bucket?.close());
    const examine = async (change: Partial<TestBucket['setting']> = {}) => {
      const [found] = await examineObjects({ ...bucket.setting, ...change }, { slug: 'fra1' });
      return found;
    };

    it('finds no fault in a working bucket, and leaves nothing in it', async () => {
      expect(await examine()).not.toHaveProperty('fix');
      const store = openStore('fra1', backupPlaceOf(bucket.setting));
      expect(await store.list('doctor')).toEqual([]);
      await store.close();
    });

    it('says how to fix a missing bucket and wrong keys', async () => {
      expect(await examine({ bucket: 'another' })).toMatchObject({
        fix: expect.stringMatching(/Create the/),
      });
      expect(await examine({ endpoint: 'http://127.0.0.1:9' })).toMatchObject({
        fix: expect.stringMatching(/answers at http/),
      });
      await writeFile(bucket.setting.secret_key_file!, 'another');
      expect(await examine()).toMatchObject({ fix: expect.stringMatching(/secret key/) });
      await writeFile(bucket.setting.access_key_file!, 'another');
      expect(await examine()).toMatchObject({ fix: expect.stringMatching(/access key/) });
      await writeFile(bucket.setting.access_key_file!, bucket.user.accessKey);
      await writeFile(bucket.setting.secret_key_file!, bucket.user.secretKey);
      expect(await examine()).not.toHaveProperty('fix');
    });
  });
});
