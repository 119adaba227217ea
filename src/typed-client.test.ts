/** The client in `examples/typescript-client` is typed by the OpenAPI document alone, compiles and works. */
import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from './families/index.ts';
import { buildRegistry } from './kernel/registry.ts';
import { exampleDocument } from './surfaces/openapi/snapshot.ts';
import { createAccount, createKey } from './testing/accounts.ts';
import { createTestApp, type TestApp } from './testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const example = join(root, 'examples/typescript-client');

interface Generator {
  default(document: object, options: { defaultNonNullable: boolean }): Promise<unknown>;
  astToString(types: unknown): string;
}

/** The generator and the compiler need seconds of processor time, which is long on a busy machine. */
const TIMEOUT_MS = 300_000;

let folder: string;
let app: TestApp;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const installed = join(example, 'node_modules/openapi-typescript/dist/index.mjs');
  const generator = (await import(pathToFileURL(installed).href)) as Generator;
  const types = await generator.default(exampleDocument(buildRegistry(families)), {
    defaultNonNullable: false,
  });
  await writeFile(join(folder, 'api.ts'), generator.astToString(types));
  await writeFile(join(folder, 'misuse.ts'), misuse);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const file of ['package.json', 'tsconfig.json', 'client.ts', 'create-machine.ts'])
    await copyFile(join(example, file), join(folder, file));
  app = await createTestApp({ works: true });
}, TIMEOUT_MS);
afterAll(async () => {
  await app.close();
  await removeTemporaryFolder(folder);
});

/** Each line below a `@ts-expect-error` must not compile. All would compile if the types allowed any value. */
const misuse = `
import type { components, operations } from './api.ts';
import { Client } from './client.ts';

const client = new Client('', '');
type Event = components['schemas']['Event'];

export function events(event: Event): unknown {
  // @ts-expect-error: only some event types have this member
  const early = event.data.limit_id;
  if (event.type === 'limit.nearly_reached') return event.data.limit_id;
  // @ts-expect-error: no such event type
  return event.type === 'vm.invented' ? event : early;
}

export async function machines(): Promise<unknown> {
  const body = { name: 'a', location: 'fra1', plan: 'flex-1-2' };
  // @ts-expect-error: the source is missing
  await client.post('/flexible-vps/v1/vms', {}, body);
  const machine = await client.post('/flexible-vps/v1/vms', {}, { ...body, source: { type: 'image', image_id: 'debian-13' } });
  // @ts-expect-error: a source of type vm takes no image
  await client.post('/flexible-vps/v1/vms', {}, { ...body, source: { type: 'vm', image_id: 'debian-13' } });
  // @ts-expect-error: a reserved address needs its id
  await client.post('/flexible-vps/v1/vms', {}, { ...body, source: { type: 'vm', vm_id: 'vm_1' }, public_ipv4: { mode: 'reserved' } });
  const group: operations['createPlacementGroup']['requestBody']['content']['application/json'] = { name: 'a', location: 'fra1' };
  await client.post('/flexible-vps/v1/placement-groups', {}, group);
  // @ts-expect-error: a machine is not a dry run
  return machine.effects;
}

type Revoked = operations['revokeApiKey']['responses'][200]['content'];
export const answer = (content: Revoked): string => content['application/json'].status;
export const foreseen = (content: Revoked): true => content['application/vnd.hostplane.dry-run+json'].dry_run;

type Message = operations['onEvent']['requestBody']['content']['application/json'];
export function revokedBy({ data: event }: Message): string {
  return event.type === 'api_key.revoked' ? event.data.by : event.message;
}
`;

it(
  'compiles under strict, and misuse does not',
  async () => {
    const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['--project', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');
  },
  TIMEOUT_MS,
);

it(
  'creates a machine and reads its events',
  async () => {
    const { db } = app.services;
    const { key } = await createKey(db, await createAccount(db));
    const url = await app.app.listen({ host: '127.0.0.1', port: 0 });
    const { stdout } = await run(join(root, 'node_modules/.bin/tsx'), ['create-machine.ts'], {
      cwd: folder,
      env: { ...process.env, HOSTPLANE_URL: url, HOSTPLANE_API_KEY: key },
    });
    expect(stdout).toMatch(/^typed-1 is running at 10\.[\d.]+\n(.*\n)*The machine typed-1 was created\.\n/);
  },
  TIMEOUT_MS,
);
