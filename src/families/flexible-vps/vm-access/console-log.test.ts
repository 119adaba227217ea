import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { cutLog } from './console-log.ts';

let app: TestApp;
let vps: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
  vps = await VpsAccount.open(app);
  vm = await vps.vm();
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const read = (query = '', headers = {}) =>
  vps.send('GET', `vms/${vm.id}/console-log${query}`, undefined, headers);

describe('the console log', () => {
  it('is returned as lines, and a limit keeps the last lines', async () => {
    const all = (await read()).json<{ lines: string[]; truncated: boolean }>();
    expect(all.truncated).toBe(false);
    expect(all.lines.join('\n')).toMatch(/cloud-init/i);
    expect(all.lines.join('\n')).not.toContain('\u001b');
    const last = (await read('?lines=3')).json();
    expect(last).toEqual({ lines: all.lines.slice(-3), truncated: true });
  });

  it('is returned as text only if the Accept header prefers text', async () => {
    const { lines } = (await read()).json<{ lines: string[] }>();
    const text = await read('', { accept: 'text/plain' });
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text.headers['vary']).toBe('accept');
    expect(text.body).toBe(`${lines.join('\n')}\n`);
    const formats = ['*/*', 'application/json', 'text/plain;q=0.5, application/json', 'text/plain;q=0, */*'];
    for (const accept of formats)
      expect([accept, (await read('', { accept })).headers['content-type']]).toEqual([
        accept,
        'application/json',
      ]);
    for (const accept of ['text/*', 'text/plain, */*;q=0.1', 'application/json;q=0.5, text/plain'])
      expect([accept, (await read('', { accept })).headers['content-type']]).toEqual([
        accept,
        'text/plain; charset=utf-8',
      ]);
    expect((await read('', { accept: 'text/html' })).statusCode).toBe(406);
  });

  it('404 and other refusals are problem documents, whatever the Accept header says', async () => {
    const answer = await vps.send('GET', 'vms/vm_01jqzv2m7xe9rs5d3k8w4t6y0b/console-log', undefined, {
      accept: 'text/plain',
    });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  it('422: refuses a number of lines that is zero, not whole or too large', async () => {
    for (const lines of [0, 5001, 1.5]) expect((await read(`?lines=${lines}`)).statusCode).toBe(422);
  });

  it('503: while the engine does not answer', async () => {
    await addFault(app.services.db, {
      target: vm.id,
      call: 'readConsoleLog',
      effect: { kind: 'unreachable' },
    });
    const answer = await read();
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('the cut of a console log', () => {
  it('removes escape sequences, unless raw is set', () => {
    const text = '\u001b[1;32mOK\u001b[0m done\r\n\u001b]0;title\u0007\u001b(Bplain\u0000\n\tindented ü';
    const options = { lines: 10, raw: false };
    expect(cutLog(text, options)).toEqual({ lines: ['OK done', 'plain', '\tindented ü'], truncated: false });
    expect(cutLog(text, { ...options, raw: true }).lines[0]).toBe('\u001b[1;32mOK\u001b[0m done\r');
  });

  it('keeps the last 256 KiB, without the line that would be split', () => {
    const line = `${'ü'.repeat(500)}\n`;
    const { lines, truncated } = cutLog(line.repeat(300), { lines: 5000, raw: false });
    expect(truncated).toBe(true);
    expect(new Set(lines)).toEqual(new Set([line.trim()]));
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(256 * 1024);
    expect(lines.length).toBe(261);
  });

  it('of an empty log is empty', () => {
    expect(cutLog('', { lines: 5, raw: false })).toEqual({ lines: [], truncated: false });
    expect(cutLog('one', { lines: 5, raw: false })).toEqual({ lines: ['one'], truncated: false });
  });
});
