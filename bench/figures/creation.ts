/**
 * Creates a thousand machines on the sandbox, where booting takes no time, so that only Hostplane's own work
 * is measured.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { percentile } from '../median.ts';
import { readMemory } from '../memory.ts';
import { type Contender, startProduct } from '../processes.ts';
import type { Row } from './row.ts';

export const CALLERS = 20;
const PATIENCE_MS = 300_000;

/** The provider file as shipped, with machines that boot at once and enough addresses for all of them. */
export async function writeProvider(root: string, folder: string): Promise<string> {
  const text = await readFile(join(root, 'hostplane.default.yaml'), 'utf8');
  const file = join(folder, 'provider.yaml');
  const changed = text
    // The commit before may not know a provider without documentation of its own.
    .replace('docs_url: null', 'docs_url: https://docs.demo.example')
    .replaceAll('compute: { driver: sandbox }', 'compute: { driver: sandbox, pace: 0 }')
    .replace('cidr: 203.0.113.0/25, purpose: single', 'cidr: 10.100.0.0/16, purpose: single')
    .replaceAll(
      /(id: flexible-vps\.(vms|vcpus|memory-gb|public-ipv4),[^}]*limit: )\d+([^}]*maximum_on_request: )\d+/g,
      '$11000000$31000000',
    );
  await writeFile(file, changed);
  return file;
}

export interface Client {
  post(path: string, body: object): Promise<number>;
  count(path: string): Promise<number>;
}

export function clientOf({ port, greeting }: Contender): Client {
  const key = /HOSTPLANE_API_KEY=(hpk1_\w+)/.exec(greeting)?.[1] ?? '';
  let calls = 0;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        'x-forwarded-for': `198.19.${(++calls >> 8) & 255}.${calls & 255}`,
      },
    });
  return {
    async post(path, body) {
      const began = performance.now();
      const answer = await ask(path, { method: 'POST', body: JSON.stringify(body) });
      const text = await answer.text();
      if (answer.status !== 202) throw new Error(`${answer.status}: ${text}`);
      return performance.now() - began;
    },
    async count(path) {
      const answer = await ask(path);
      return ((await answer.json()) as { data: unknown[] }).data.length;
    },
  };
}

export const bodyOf = (n: number): object => ({
  name: `bench-${n}`,
  location: 'fra1',
  plan: 'flex-1-1',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
});

export async function measureCreating(
  bundle: string,
  root: string,
  newFolder: () => Promise<string>,
  machines: number,
): Promise<Row[]> {
  const folder = await newFolder();
  const product = await startProduct(bundle, {
    HOSTPLANE_DATA: join(folder, 'data'),
    HOSTPLANE_CONFIG: await writeProvider(root, folder),
  });
  try {
    const client = clientOf(product);
    const before = readMemory(product.pid).own;
    const latencies: number[] = [];
    let next = 0;
    const began = performance.now();
    const callers = Array.from({ length: CALLERS }, async () => {
      while (next < machines) latencies.push(await client.post('/flexible-vps/v1/vms', bodyOf(next++)));
    });
    await Promise.all(callers);
    const accepted = performance.now() - began;
    while ((await client.count('/flexible-vps/v1/vms?status=creating&limit=1')) > 0) {
      if (performance.now() - began > PATIENCE_MS) throw new Error('They do not come up.');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const running = performance.now() - began;
    const memory = readMemory(product.pid).own;
    const report = (figure: string, value: string, context: string): Row => ({
      figure,
      value,
      target: 'reported',
      met: true,
      context,
    });
    return [
      report(
        `${machines} machines created, until all run`,
        `${(running / 1000).toFixed(1)} s`,
        `${Math.round((machines / running) * 1000)}/s; all accepted after ${(accepted / 1000).toFixed(1)} s, ${CALLERS} callers at once`,
      ),
      report(
        'accepting one of them, p50 and p99',
        `${percentile(latencies, 0.5).toFixed(0)}, ${percentile(latencies, 0.99).toFixed(0)} ms`,
        'server, worker, sandbox engine and PostgreSQL share the machine',
      ),
      report(
        'memory of our process then',
        `${Math.round(memory)} MB`,
        `VmRSS, ${Math.round(before)} MB before`,
      ),
    ];
  } finally {
    await product.stop();
  }
}
