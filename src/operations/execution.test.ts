import pino from 'pino';
import { expect, it } from 'vitest';
import { done, type Kind } from '../kernel/operations/kind.ts';
import type { Ending } from '../kernel/operations/store.ts';
import type { Services } from '../kernel/services.ts';
import type { Db } from '../store/database.ts';
import { REAL } from './environment.ts';
import { Execution } from './execution.ts';
import type { Claimed, RunnerStore } from './runner-store.ts';

const BEGAN = Date.parse('2026-03-01T10:00:00Z');
const DEADLINE_SECONDS = 600;
const STEP_SECONDS = 250;

it('each step gets the time of its own start', async () => {
  let elapsedMs = 0;
  const seen: number[] = [];
  const step = (name: string) => ({
    name,
    async run({ now }: { now: Date }) {
      seen.push((now.getTime() - BEGAN) / 1000);
      elapsedMs += STEP_SECONDS * 1000;
      return done();
    },
  });
  const slow = { steps: ['a', 'b'].map(step), deadlineSeconds: DEADLINE_SECONDS } as unknown as Kind;
  const row = (step_index: number): Claimed =>
    ({
      id: 'op_1',
      attempt: 1,
      type: 'slow',
      phase: 'forward',
      step_index,
      results: {},
      read_at: new Date(BEGAN + elapsedMs),
      deadline_at: new Date(BEGAN + DEADLINE_SECONDS * 1000),
    }) as Claimed;
  const endings: Ending['status'][] = [];
  const store: Partial<RunnerStore> = {
    advance: async () => row(1),
    end: async (_, { status }) => endings.push(status) > 0,
  };
  const execution = new Execution(
    {
      store: store as RunnerStore,
      environment: { ...REAL, monotonic: () => elapsedMs },
      db: {} as Db,
      log: pino({ level: 'silent' }),
      services: {} as Services,
      kindOf: () => slow,
    },
    row(0),
  );
  expect(await execution.run()).toBe(false);
  expect(seen).toEqual([0, STEP_SECONDS]);
  expect(endings).toEqual(['succeeded']);
});
