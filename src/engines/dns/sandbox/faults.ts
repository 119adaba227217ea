/** The calls of the DNS port that fault rules of the sandbox can name. */
import type { Engine } from '../../engine.ts';
import type { ReverseDns } from '../port.ts';

export type CallName = Exclude<keyof ReverseDns, keyof Engine>;

const calls: Readonly<Record<CallName, true>> = {
  ensurePtr: true,
  removePtr: true,
  observePtr: true,
  observePtrs: true,
  lookUp: true,
};

export const dnsFaults = { calls: Object.keys(calls), effects: {} };
