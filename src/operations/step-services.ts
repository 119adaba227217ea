/**
 * The services that a step gets. Only steps that are marked as `foreign`, and undo steps, reach servers that are not
 * ours: such a server may answer as slowly as it likes, and must not hold the slots of other work.
 */
import type { Lane } from '../kernel/operations/kind.ts';
import type { ForeignServices, Services } from '../kernel/services.ts';

/** The compiler demands every service that is declared as foreign. */
const foreign: Readonly<Record<keyof ForeignServices, true>> = { egress: true, objects: true };

const guarded = new WeakMap<Services, Services>();

function withoutForeign(services: Services): Services {
  const known = guarded.get(services);
  if (known !== undefined) return known;
  const guard = new Proxy(services, {
    get(target, name) {
      if (Object.hasOwn(foreign, name))
        throw new Error(`A step that uses services.${String(name)} must be marked with \`foreign: true\`.`);
      return Reflect.get(target, name);
    },
  });
  guarded.set(services, guard);
  return guard;
}

export const servicesFor = (lane: Lane, services: Services): Services =>
  lane === 'own' ? withoutForeign(services) : services;
