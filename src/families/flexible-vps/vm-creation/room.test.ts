import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ComputeEngine } from '../../../engines/compute/port.ts';
import { askEngine } from '../../../engines/engine-call.ts';
import type { Problem } from '../../../kernel/problems/problem.ts';
import type { Candidate } from './candidates.ts';
import { askForRoom, refusalAt } from './room.ts';

const LOCATION = 'fra1';
const MORE_THAN_AT_ONCE = 100;
const PLAN = { slug: 'small', vcpus: 1, memory_mb: 1024, disk_gb: 20 };
const SIZE = { vcpus: 1, memoryMb: 1024, diskGb: 20 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An engine that answers when the test says so. */
function slowEngine() {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const engine = { location: LOCATION, fits: () => answered.then(() => ({ fits: true })) };
  return { engine: engine as unknown as ComputeEngine, answer };
}

/** Asks for a machine; returns what the call is refused with. */
async function ask(engine: ComputeEngine): Promise<Problem | undefined> {
  const call = {
    services: { provider: { catalogue: { plans: [PLAN] } }, compute: { at: () => engine } },
    caller: { account: { id: 'acc' } },
    body: { location: LOCATION, plan: PLAN.slug },
  } as unknown as Parameters<typeof askForRoom>[0];
  const rooms = await askForRoom(call);
  const candidate = { location: LOCATION, plan: PLAN.slug, size: SIZE, priced: { available: true } };
  return refusalAt(rooms, candidate as unknown as Candidate, undefined, async () => []);
}

it('a call that only waited behind others is told that the location is busy, and when to try again', async () => {
  const { engine, answer } = slowEngine();
  const others = Array.from({ length: MORE_THAN_AT_ONCE }, () =>
    askEngine(engine, () => new Promise<void>(() => undefined)).catch(() => undefined),
  );
  const asked = ask(engine);
  await vi.runAllTimersAsync();
  await Promise.all(others);
  answer();
  const refusal = await asked;
  expect(refusal?.message).toBe('fra1 is busy: too many other calls wait for its answer.');
  expect(refusal?.retryAfterSeconds).toBe(5);
});

it('a call that the engine does not answer is told so', async () => {
  const { engine } = slowEngine();
  const asked = ask(engine);
  await vi.runAllTimersAsync();
  expect((await asked)?.message).toBe('fra1 does not answer at the moment.');
});

it('a call that waited, and then was answered, is not refused', async () => {
  const { engine, answer } = slowEngine();
  const asked = Array.from({ length: MORE_THAN_AT_ONCE }, () => ask(engine));
  answer();
  expect(await Promise.all(asked)).toEqual(asked.map(() => undefined));
});
