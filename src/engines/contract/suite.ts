/**
 * The frame of a contract suite, which tests a driver against the contract of its port. Tests of capabilities that the
 * driver declares missing are skipped with the declared reason; no other test is skipped.
 */
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import type { Capability } from '../capability.ts';
import type { Engine } from '../engine.ts';

/** The driver-specific part of a suite. A port adds the functions with which its tests bypass the driver. */
export interface Harness<E extends Engine> {
  readonly engine: E;
  /** Opens the same engine again without any cached state, as another process would. */
  reopen(): Promise<E>;
  close(): Promise<void>;
}

/** Creates the objects that a test of the port needs, and removes them after the test. */
export interface Lab<E extends Engine> {
  readonly harness: Harness<E>;
  clear(): Promise<void>;
}

/** The arguments of each part of a suite. The lab exists only while tests run, not while they are declared. */
export interface Use<L, CapabilityName extends string> {
  readonly capabilities: Readonly<Record<CapabilityName, Capability>>;
  readonly lab: () => L;
}

export function describePort<L extends Lab<Engine>, CapabilityName extends string>(
  title: string,
  capabilities: Readonly<Record<CapabilityName, Capability>>,
  openLab: () => Promise<L>,
  parts: readonly ((use: Use<L, CapabilityName>) => void)[],
): void {
  describe(title, () => {
    let lab: L;
    beforeAll(async () => {
      lab = await openLab();
    });
    afterEach(() => lab.clear());
    afterAll(() => lab.harness.close());
    for (const describePart of parts) describePart({ capabilities, lab: () => lab });
  });
}

export function itIfCapable<CapabilityName extends string>(
  { capabilities }: Pick<Use<unknown, CapabilityName>, 'capabilities'>,
  capability: CapabilityName,
  name: string,
  test: () => Promise<void>,
): void {
  const reason = capabilities[capability];
  if (reason === true) it(name, test);
  else it.skip(`${name} (${reason})`, test);
}
