/**
 * The services that a step gets. Only steps that are marked as `foreign`, and undo steps, reach servers that are not
 * ours: such a server may answer as slowly as it likes, and must not hold the slots of other work.
 */
import type { Lane } from '../kernel/operations/kind.ts';
import type { Services } from '../kernel/services.ts';

const foreign: readonly string[] = ['egress', 'objects'];

const guarded = new WeakMap<Services, Services>();

function withoutForeign(services: Services): Services {
  const known = guarded.get(services);
  if (known !== undefined) return known;
  const guard = new Proxy(services, {
    get(target, name) {
      if (foreign.includes(String(name)))
        throw new Error(`A step that uses services.${String(name)} must be marked with \`foreign: true\`.`);
      return Reflect.get(target, name);
    },
  });
  guarded.set(services, guard);
  return guard;
}

export const servicesFor = (lane: Lane, services: Services): Services =>
  lane === 'own' ? withoutForeign(services) : services;
