/**
 * The frame of a contract suite: what every driver of a port promises, tried on the driver itself. Tests of abilities
 * that the driver declares missing are skipped with the reason it declares; no other test is skipped.
 */
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import type { Capability } from '../capability.ts';
import type { Engine } from '../engine.ts';

/** What a suite cannot know about a driver. A port adds what its tests need to reach behind the driver. */
export interface Harness<E extends Engine> {
  readonly engine: E;
  /** Opens the same engine again, with an empty memory: as another process would. */
  reopen(): Promise<E>;
  close(): Promise<void>;
}

/** Creates what a test of the port needs, and removes it after the test. */
export interface Lab<E extends Engine> {
  readonly harness: Harness<E>;
  clear(): Promise<void>;
}

/** What each part of a suite is given. The lab exists once the tests run, not while they are declared. */
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
