import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from '../store/unavailable.ts';
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

describe('the log line of a request', () => {
  it('is one line of JSON with the known members', () => {
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

  it('has the method of each request, although the rest of the line is cached per endpoint', () => {
    const { log, read } = openCapture();
    const write = openRequestLog(log);
    for (const method of ['GET', 'HEAD', 'GET']) write({ ...line, method });
    expect(read().map(({ method }) => method)).toEqual(['GET', 'HEAD', 'GET']);
  });

  it('leaves out an unknown caller, escapes the path, and masks API keys in it', () => {
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

  it('is not written at the log level warn', () => {
    const { log, lines } = openCapture('warn');
    openRequestLog(log)(line);
    expect(lines).toEqual([]);
  });
});

describe('the log', () => {
  it('masks secrets at any depth by their names, in any case, and does not change the object', () => {
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
  ])('is complete when the process ends %s', (_how, end) => {
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
    // If the first line is still being written when the process ends, the last one can come before it.
    expect(lines.map((text) => JSON.parse(text).msg).sort()).toEqual(['first', 'last']);
  });
});

describe('an outage of the database', () => {
  const down = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is logged once a second, with the number of suppressed lines and without a stack', () => {
    const { log, read } = openCapture();
    for (let i = 0; i < 100; i++) log.error({ request_id: `req_${i}`, err: down() }, 'engine_unavailable');
    expect(read()).toEqual([
      {
        level: 'error',
        time: expect.any(String),
        request_id: 'req_0',
        reason: 'connect ECONNREFUSED',
        code: 'ECONNREFUSED',
        during: 'engine_unavailable',
        msg: 'database unavailable',
      },
    ]);
    vi.advanceTimersByTime(1_000);
    for (let i = 0; i < 7; i++)
      log.warn({ err: new Error('engine', { cause: new Unavailable('down') }) }, 'scheduled work failed');
    vi.advanceTimersByTime(1_000);
    expect(read().map(({ left_out }) => left_out)).toEqual([undefined, 99, 7]);
    vi.advanceTimersByTime(10_000);
    expect(read()).toHaveLength(3);
    log.warn({ err: down() }, 'scheduled work failed');
    expect(read()).toHaveLength(4);
  });

  it('does not suppress other errors', () => {
    const { log, read } = openCapture();
    log.error({ err: down() }, 'engine_unavailable');
    log.error({ err: new Error('a bug') }, 'internal_error');
    log.error({ err: new Error('engine away', { cause: down() }) }, 'engine_unavailable');
    log.info('a text');
    log.info({ pid: 7 }, 'listening');
    expect(read().map(({ msg }) => msg)).toEqual([
      'database unavailable',
      'internal_error',
      'engine_unavailable',
      'a text',
      'listening',
    ]);
    expect(read()[1]).toMatchObject({ err: { message: 'a bug', stack: expect.any(String) } });
  });
});
