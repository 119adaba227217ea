import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Size } from './instance.ts';
import { chooseHost, contains, freeOf, type Host } from './placement.ts';

const size = (most: number): fc.Arbitrary<Size> =>
  fc.record({
    vcpus: fc.integer({ min: 1, max: most }),
    memoryMb: fc.integer({ min: 1, max: most }),
    diskGb: fc.integer({ min: 1, max: most }),
  });

const room: fc.Arbitrary<Host[]> = fc
  .array(fc.record({ total: size(20), used: size(20) }), { maxLength: 6 })
  .map((hosts) => hosts.map((host, i) => ({ ...host, name: `host-${i}` })));

const group = fc.record({
  policy: fc.constantFrom('spread' as const, 'compact' as const),
  strict: fc.boolean(),
});

const taken = (hosts: readonly Host[]): fc.Arbitrary<string[]> =>
  hosts.length === 0
    ? fc.constant([])
    : fc.array(fc.constantFrom(...hosts.map(({ name }) => name)), { maxLength: 6 });

const scene = room.chain((hosts) =>
  fc.record({
    hosts: fc.constant(hosts),
    wanted: size(12),
    placement: fc.option(group),
    others: taken(hosts),
  }),
);

describe('the choice of a host', () => {
  it('has enough free capacity, and a refusal has the right reason', () => {
    fc.assert(
      fc.property(scene, ({ hosts, wanted, placement, others }) => {
        const roomy = hosts.filter((host) => contains(freeOf(host), wanted)).map(({ name }) => name);
        const choice = chooseHost(hosts, wanted, placement, others);
        if ('host' in choice) {
          expect(roomy).toContain(choice.host);
          return;
        }
        expect(choice.refused === 'capacity_unavailable').toBe(roomy.length === 0);
        if (choice.refused === 'placement_unsatisfiable') expect(placement?.strict).toBe(true);
      }),
    );
  });

  it('satisfies the placement policy if any host with room does', () => {
    fc.assert(
      fc.property(scene, ({ hosts, wanted, placement, others }) => {
        if (placement === null || others.length === 0) return;
        const roomy = hosts.filter((host) => contains(freeOf(host), wanted)).map(({ name }) => name);
        const suits = (name: string): boolean =>
          placement.policy === 'spread' ? !others.includes(name) : others.every((other) => other === name);
        const choice = chooseHost(hosts, wanted, placement, others);
        const suitable = roomy.filter(suits);
        if (suitable.length > 0) expect(suitable).toContain('host' in choice ? choice.host : null);
        else if (placement.strict) expect(choice).toHaveProperty('refused');
      }),
    );
  });

  it('does not depend on the order in which hosts are listed', () => {
    fc.assert(
      fc.property(scene, ({ hosts, wanted, placement, others }) => {
        expect(chooseHost(hosts.toReversed(), wanted, placement, others)).toEqual(
          chooseHost(hosts, wanted, placement, others),
        );
      }),
    );
  });
});
