/**
 * Fails every test in which an engine is called while a transaction is open: an engine may take long to answer, and the
 * locks of the transaction would be held meanwhile. Only the calls of one chain of awaits count, so that tests can run
 * requests beside each other.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { TransactionBuilder } from 'kysely';
import type { Registry } from '../kernel/registry.ts';
import type { Services } from '../kernel/services.ts';

const inside = new AsyncLocalStorage<'transaction' | 'engine'>();

type Work = (tx: never) => Promise<unknown>;
const builder = TransactionBuilder.prototype as unknown as { execute(work: Work): Promise<unknown> };
const { execute } = builder;
builder.execute = function (work) {
  // Drivers keep records of their own, in transactions that customers do not wait for.
  if (inside.getStore() === 'engine') return execute.call(this, work);
  return execute.call(this, (tx) => inside.run('transaction', () => work(tx)));
};

/** For a request that a test sends while it holds a transaction of its own, to make the request wait. */
export const outsideTransactions = <T>(work: () => T): T => inside.exit(work);

/** They do not ask the engine anything. */
const SILENT = ['constructor', 'close', 'watch'];

type Methods = Record<string, unknown>;

function methodsOf(engine: object): string[] {
  const names = new Set<string>();
  for (let owner = engine; owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object)
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
  return [...names].filter(
    (name) => !SILENT.includes(name) && typeof (engine as Methods)[name] === 'function',
  );
}

/** Returns the names of the calls that were made in a transaction, of which the errors may have been caught. */
export function guardEngines({ families }: Registry, services: Services): ReadonlySet<string> {
  const calls = new Set<string>();
  const engines = new Set(
    families.flatMap(({ ports = [] }) => ports.flatMap((port) => port.engines(services).all)),
  );
  for (const engine of engines)
    for (const name of methodsOf(engine)) {
      const method = (engine as unknown as Methods)[name] as (...args: unknown[]) => unknown;
      const guarded = (...args: unknown[]): unknown => {
        if (inside.getStore() !== 'transaction')
          return inside.run('engine', () => method.apply(engine, args));
        calls.add(name);
        throw new Error(`${name} of an engine was called while a transaction was open.`);
      };
      Object.defineProperty(engine, name, { value: guarded, configurable: true, writable: true });
    }
  return calls;
}
