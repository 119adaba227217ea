import { describe, expect, it } from 'vitest';
import type { Instance } from '../../../engines/compute/port.ts';
import type { VmState } from './lifecycle.ts';
import { eventOf, isUpToEngine, judge, type Known } from './verdict.ts';

const known = (status: VmState, status_reason: string | null = null, is_billed = true): Known => ({
  id: 'vm_1',
  name: 'web',
  status,
  status_reason,
  is_billed,
  host_group: 'host-1',
  failed_at: null,
});

const seen = (state: Instance['state'], problem: Instance['problem'] = null) =>
  ({ state, problem }) as Instance;

const engine = {
  runs: seen('running'),
  stands: seen('stopped'),
  crashed: seen('broken', 'crashed'),
  hostless: seen('broken', 'host_lost'),
  unsure: seen('broken'),
  making: seen('creating'),
  'has none': null,
} as const;

const rows = {
  running: known('running'),
  stopped: known('stopped'),
  'stopped, crashed': known('stopped', 'crashed'),
  lost: known('error', 'lost', false),
  'lost, billed': known('error', 'lost'),
  hostless: known('error', 'host_lost', false),
  'crashed, in error': known('error', 'crashed'),
} as const;

/** Status, reason and event of the verdict; null if nothing has to change. */
type Expected = readonly [string, string | null, string | null] | null;

const table: Readonly<
  Record<keyof typeof rows, Readonly<Record<Exclude<keyof typeof engine, 'unsure' | 'making'>, Expected>>>
> = {
  running: {
    runs: null,
    stands: ['stopped', null, 'vm.stopped_by_guest'],
    crashed: ['stopped', 'crashed', 'vm.crashed'],
    hostless: ['error', 'host_lost', 'vm.crashed'],
    'has none': ['error', 'lost', 'vm.lost'],
  },
  stopped: {
    runs: ['running', null, 'vm.started'],
    stands: null,
    crashed: ['stopped', 'crashed', 'vm.crashed'],
    hostless: ['error', 'host_lost', 'vm.crashed'],
    'has none': ['error', 'lost', 'vm.lost'],
  },
  'stopped, crashed': {
    runs: ['running', null, 'vm.started'],
    stands: null,
    crashed: null,
    hostless: ['error', 'host_lost', 'vm.crashed'],
    'has none': ['error', 'lost', 'vm.lost'],
  },
  lost: {
    runs: ['running', null, 'vm.recovered'],
    stands: ['stopped', null, 'vm.recovered'],
    crashed: ['stopped', 'crashed', 'vm.recovered'],
    hostless: ['error', 'host_lost', null],
    'has none': null,
  },
  'lost, billed': {
    runs: ['running', null, 'vm.recovered'],
    stands: ['stopped', null, 'vm.recovered'],
    crashed: ['stopped', 'crashed', 'vm.recovered'],
    hostless: ['error', 'host_lost', null],
    'has none': ['error', 'lost', null],
  },
  hostless: {
    runs: ['running', null, 'vm.recovered'],
    stands: ['stopped', null, 'vm.recovered'],
    crashed: ['stopped', 'crashed', 'vm.recovered'],
    hostless: null,
    'has none': ['error', 'lost', 'vm.lost'],
  },
  'crashed, in error': {
    runs: ['running', null, 'vm.started'],
    stands: ['stopped', null, null],
    crashed: ['stopped', 'crashed', null],
    hostless: ['error', 'host_lost', null],
    'has none': ['error', 'lost', 'vm.lost'],
  },
};

const cases = Object.entries(table).flatMap(([row, expected]) =>
  Object.entries(expected).map(([says, outcome]) => [row, says, outcome] as const),
);

describe('what becomes of a machine', () => {
  it.each(cases)('%s, and the engine %s', (name, says, expected) => {
    const row = rows[name as keyof typeof rows];
    const verdict = judge(row, engine[says as keyof typeof engine]);
    expect(isUpToEngine(row)).toBe(true);
    if (expected === null || verdict === undefined) {
      expect(verdict).toBe(expected ?? undefined);
      return;
    }
    const [status, status_reason, event] = expected;
    expect(verdict).toEqual({ status, status_reason, is_billed: status !== 'error' });
    expect(eventOf(row, verdict)?.type ?? null).toBe(event);
  });

  it.each(Object.keys(rows))('%s, and the engine cannot tell', (name) => {
    const row = rows[name as keyof typeof rows];
    expect(judge(row, engine.unsure)).toBeUndefined();
    expect(judge(row, engine.making)).toBeUndefined();
  });

  it('keeps the reason that an operation left while the status is right', () => {
    expect(judge(known('stopped', 'timeout'), engine.stands)).toBeUndefined();
    expect(judge(known('running', 'timeout'), engine.runs)).toBeUndefined();
  });

  it.each([
    ['error', 'engine_failed'],
    ['error', null],
    ['suspended', null],
    ['resizing', null],
    ['deleting', null],
  ] as const)('is not up to the engine while it is %s (%s)', (status, reason) => {
    expect(isUpToEngine(known(status, reason))).toBe(false);
  });
});
