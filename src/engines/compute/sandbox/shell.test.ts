import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { openSandbox } from '../../../testing/sandbox.ts';
import { Lab } from '../contract/lab.ts';
import type { Ref } from '../port.ts';

let database: TestDatabase;
let db: Db;
let lab: Lab;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
  lab = new Lab(openSandbox(db));
});
afterEach(() => lab.clear());
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Types the lines, and returns all output until the console closes. */
async function typed(ref: Ref, ...lines: readonly string[]): Promise<string> {
  const { stream } = await lab.engine.openConsole(ref, 'serial');
  let shown = '';
  stream.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  for (const line of lines) stream.write(`${line}\r`);
  stream.end();
  await closed;
  return shown.replaceAll('\r\n', '\n');
}

describe('the shell at the console', () => {
  it('shows the boot messages, and reads and writes files of the machine', async () => {
    const ref = await lab.running();
    const shown = await typed(ref, 'echo "hello there" > /root/note', 'cat /root/note', 'ls', 'rm -rf /');
    expect(shown).toContain('Linux version');
    expect(shown).toContain('# hello there\n');
    expect(shown).toContain('/etc/os-release\n');
    expect(shown).toContain('rm: command not found');
    expect(await lab.harness.readInside(ref, '/root/note')).toBe('hello there\n');
  });

  it('can shut the machine down, which closes the console and notifies watchers', async () => {
    const ref = await lab.running();
    const nudged: string[] = [];
    const stop = lab.engine.watch(({ id }) => nudged.push(id));
    await typed(ref, 'poweroff', 'hostname');
    stop();
    expect([(await lab.seen(ref)).state, nudged]).toEqual(['stopped', [ref.id]]);
    expect(await lab.engine.readConsoleLog(ref, 1000)).toContain('Power down');
  });

  it('handles file names like __proto__ and NUL characters', async () => {
    const ref = await lab.running();
    const shown = await typed(ref, 'cat constructor', 'cat __proto__', 'echo x > __proto__', 'echo \0 > /n');
    expect(shown).toContain('cat: constructor: No such file');
    expect(await lab.harness.readInside(ref, '/n')).toBe('\ufffd\n');
    expect((await lab.seen(ref)).state).toBe('running');
  });
});

describe('user data', () => {
  it('may contain bytes that a database cannot store as text', async () => {
    const userData = '#cloud-config\nwrite_files: [{ path: /bin/x, content: AAEC/w==, encoding: b64 }]\n';
    const ref = await lab.running({ guest: lab.guest({ userData }) });
    expect(await lab.harness.readInside(ref, '/bin/x')).toContain('\x01\x02');
  });
});
