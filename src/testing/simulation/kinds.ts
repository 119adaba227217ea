/**
 * The operation kinds of a simulated world. Each step records its commit, so that a missing or repeated commit is
 * noticed. The effect of a step is outside every transaction, as with real engines.
 */
import { sql } from 'kysely';
import {
  type Commit,
  child,
  done,
  failed,
  type Kind,
  kind,
  type Outcome,
  type Step,
} from '../../kernel/operations/kind.ts';
import { Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import '../machines.ts';

declare module '../../store/database.ts' {
  interface Tables {
    /** Machines for which the outside event that a step may wait for has happened. */
    machine_news: { machine_id: string };
  }
}

export interface Behaviour {
  readonly step: string;
  readonly does:
    | 'fail'
    | 'fail-late'
    | 'retry'
    | 'throw'
    | 'hang'
    | 'hang-deaf'
    | 'nap'
    | 'await-news'
    | 'commit-throws';
  /** Applies while the step was tried fewer times than this; always if omitted. */
  readonly times?: number;
}

export interface Order {
  readonly behaviours: readonly Behaviour[];
  readonly children?: readonly { readonly machine: string; readonly order: Order }[];
  readonly tolerant?: boolean;
}

const DEADLINE_SECONDS = 120;
const NAP_SECONDS = 20;
const LONG_SECONDS = 3600;

/** The error of a commit that is configured to fail; any other error in a commit is a violation. */
export const TOLD = 'told to fail in the commit';

const note =
  (operationId: string, step: string): Commit =>
  async (tx) => {
    await tx.insertInto('machine_effects').values({ operation_id: operationId, step }).execute();
    return undefined;
  };

async function hasNapped(db: Db, operationId: string, step: string): Promise<boolean> {
  const { rows } = await sql`
    select from machine_effects where operation_id = ${operationId} and step = ${step}`.execute(db);
  return rows.length > 0;
}

async function isThereNews(db: Db, machine: string): Promise<boolean> {
  const { rows } = await sql`select from machine_news where machine_id = ${machine}`.execute(db);
  return rows.length > 0;
}

type Effect = (db: Db, machine: string) => Promise<unknown>;

const stand: Effect = (db, id) =>
  sql`insert into machine_room (machine_id) values (${id}) on conflict do nothing`.execute(db);
const takeDown: Effect = (db, id) => sql`delete from machine_room where machine_id = ${id}`.execute(db);

function step(
  name: string,
  effect: Effect | null,
  marks: Pick<Step<Order>, 'final' | 'foreign'> = {},
): Step<Order> {
  return {
    name,
    ...marks,
    async run({ operationId, resourceId, input, tries, db, signal }): Promise<Outcome> {
      const machine = resourceId;
      const told = input.behaviours.find(
        (each) => each.step === name && tries < (each.times ?? Number.POSITIVE_INFINITY),
      )?.does;
      if (told === 'fail') return failed('engine_failed', 'told to fail');
      if (told === 'retry') return failed('engine_failed', 'told to fail for now', true);
      if (told === 'throw') throw new Error('told to throw');
      if (told === 'hang')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      if (told === 'hang-deaf') await new Promise(() => undefined);
      if (told === 'await-news' && !(await isThereNews(db, machine)))
        return { kind: 'sleep', seconds: LONG_SECONDS, waitingFor: 'human' };
      if (told === 'nap' && !(await hasNapped(db, operationId, `${name}, asleep`)))
        return { kind: 'sleep', seconds: NAP_SECONDS, commit: note(operationId, `${name}, asleep`) };
      signal.throwIfAborted();
      await effect?.(db, machine);
      if (told === 'fail-late') return failed('engine_failed', 'told to fail late');
      if (told === 'commit-throws') return done({}, () => Promise.reject(new Error(TOLD)));
      return done({ step: name }, note(operationId, name));
    },
  };
}

const Input = Type.Unsafe<Order>({ type: 'object' });

const shared = {
  family: 'yard',
  resourceType: 'machine',
  input: Input,
  typicalSeconds: 1,
  deadlineSeconds: DEADLINE_SECONDS,
  async settle(tx: Parameters<Commit>[0], { id }: { readonly id: string }) {
    return note(id, 'settled')(tx);
  },
} as const;

export const build = kind<typeof Input>({
  ...shared,
  type: 'build',
  queue: 'exclusive',
  cancellable: true,
  steps: [step('reserve', null), step('build', stand), step('boot', null, { final: true })],
  undo: [step('take-down', takeDown), step('sweep', null)],
});

export const restart = kind<typeof Input>({
  ...shared,
  type: 'restart',
  queue: 'exclusive',
  cancellable: false,
  steps: [step('stop', null), step('start', null)],
});

/** Waits in the queue of every machine that it names. */
export const extend = kind<typeof Input>({
  ...shared,
  type: 'extend',
  queue: 'attach',
  cancellable: true,
  steps: [step('extend', null), step('verify', null)],
});

export const remove = kind<typeof Input>({
  ...shared,
  type: 'remove',
  queue: 'destroy',
  cancellable: false,
  steps: [step('remove', takeDown), step('forget', null)],
});

export const fleet = kind<typeof Input>({
  ...shared,
  type: 'fleet',
  queue: 'free',
  cancellable: true,
  steps: [
    step('survey', null),
    {
      name: 'spread',
      async run({ input, operationId }) {
        return {
          kind: 'children',
          start: (input.children ?? []).map(({ machine, order }) =>
            child({
              kind: build,
              input: order,
              resource: { type: 'machine', id: machine, name: null },
            }),
          ),
          ...(input.tolerant ? { tolerant: true as const } : {}),
          commit: note(operationId, 'spread'),
        };
      },
    },
    step('gather', null),
  ],
  undo: [step('recall', null)],
});

/** Waits for a foreign server between two steps of its own. */
export const fetch = kind<typeof Input>({
  ...shared,
  type: 'fetch',
  queue: 'exclusive',
  cancellable: true,
  steps: [step('prepare', null), step('download', null, { foreign: true }), step('install', null)],
  undo: [step('discard', null)],
});

/** Starts by waiting for a human, and ends by itself without an answer. */
export const ask = kind<typeof Input>({
  ...shared,
  type: 'ask',
  queue: 'free',
  cancellable: true,
  steps: [step('answer', null)],
});

export const kinds: readonly Kind<Order>[] = [build, restart, extend, remove, fleet, fetch, ask];
