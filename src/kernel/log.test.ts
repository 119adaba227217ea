import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { issueKey } from './access/key-format.ts';
import { createLog, openRequestLog, type RequestLine } from './log.ts';
import type { Endpoint } from './record.ts';
import type { Registry } from './registry.ts';

const registry = { endpoints: [] } as unknown as Registry;

function openCapture(level = 'info') {
  const lines: string[] = [];
  const log = createLog(registry, level, { write: (line: string) => void lines.push(line) });
  return { log, lines, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const endpoint = { id: 'getApiKey', method: 'GET', path: '/account/v1/api-keys/{id}' } as unknown as Endpoint;

const line: RequestLine = {
  requestId: 'req_01jqzv9t5xe9rs5d3k8w4t6y0b',
  endpoint,
  method: 'GET',
  path: '/account/v1/api-keys/self',
  status: 200,
  milliseconds: 1.5,
  clientIp: '203.0.113.7',
  accountId: 'acc_01jqzv2m7ye9rs5d3k8w4t6y0c',
  keyPublicId: 'EXAMPLEkey00',
};

describe('the line of a request', () => {
  it('is one line of JSON with what is known of it', () => {
    const { log, lines, read } = openCapture();
    openRequestLog(log)(line);
    expect(lines).toEqual([expect.stringMatching(/^[^\n]+\n$/)]);
    expect(read()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: line.requestId,
        method: 'GET',
        operation: 'getApiKey',
        path: endpoint.path,
        status: 200,
        ms: 1.5,
        client_ip: line.clientIp,
        account_id: line.accountId,
        key: line.keyPublicId,
        msg: 'request',
      },
    ]);
  });

  it('tells the method of each, though most of a line is the same for all of an endpoint', () => {
    const { log, read } = openCapture();
    const write = openRequestLog(log);
    for (const method of ['GET', 'HEAD', 'GET']) write({ ...line, method });
    expect(read().map(({ method }) => method)).toEqual(['GET', 'HEAD', 'GET']);
  });

  it('leaves out a caller that is not known, and keeps what a path holds from breaking or telling', () => {
    const { log, lines, read } = openCapture();
    const { key, publicId } = issueKey();
    const path = `/x"y\n\\${key}`;
    const stranger = { endpoint: undefined, accountId: undefined, keyPublicId: undefined };
    openRequestLog(log)({ ...line, ...stranger, path });
    expect(read()[0]).not.toHaveProperty('account_id');
    expect(read()[0]).not.toHaveProperty('key');
    expect(read()[0]).toHaveProperty('path', `/x"y\n\\hpk1_${publicId}_***`);
    expect(lines.join('')).not.toContain(key);
  });

  it('is not written when only warnings are wanted', () => {
    const { log, lines } = openCapture('warn');
    openRequestLog(log)(line);
    expect(lines).toEqual([]);
  });
});

describe('the log', () => {
  it('stars secrets at any depth by their names, in whatever case, and leaves the object as it was', () => {
    const { log, read } = openCapture();
    const given = { a: { list: [{ Password: 'p' }], keep: 1 }, Authorization: 'x', shown: 'y' };
    log.info(given, 'told');
    expect(read()[0]).toMatchObject({
      a: { list: [{ Password: '***' }], keep: 1 },
      Authorization: '***',
      shown: 'y',
    });
    expect(given.a.list[0]?.Password).toBe('p');
    expect(given.Authorization).toBe('x');
  });

  it.each([
    ['by itself', ''],
    ['by exit', 'process.exit(0)'],
    ['by a fault', 'throw new Error("fault")'],
  ])('is whole when the process ends %s', (_how, end) => {
    const module = JSON.stringify(new URL('./log.ts', import.meta.url).href);
    const program = `
      const { createLog } = await import(${module});
      const log = createLog({ endpoints: [] }, 'info');
      log.info('first');
      await new Promise((resolve) => setTimeout(resolve, 50));
      log.info('last');
      ${end}`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const lines = stderr.split('\n').filter((text) => text.startsWith('{'));
    expect(lines.map((text) => JSON.parse(text).msg)).toEqual(['first', 'last']);
  });
});
