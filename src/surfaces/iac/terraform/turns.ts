/**
 * A resource that has parts, such as a machine, does one thing at a time. Terraform works on several resources at once,
 * so all modules that make such a resource work wait for each other, with a lock of the provider.
 */
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { assign, braces } from './hcl.ts';
import { moduleInputs } from './variables.ts';

const lockOf = (name: string, value: string): string => `[{ mutex = "${name}/\${${value}}" }]`;

/** The turn of what connects two resources: with each of them that has parts, in the order of their names. */
export function turnWith(names: Readonly<Record<string, string>>, { resources }: IacModel): string {
  const parents = new Set(resources.flatMap(({ parent }) => parent?.name ?? []));
  const locked = Object.entries(names).filter(([name]) => parents.has(name));
  const locks = locked.sort().map(([name, value]) => `{ mutex = "${name}/\${${value}}" }`);
  return `[${locks.join(', ')}]`;
}

/** Inputs that name a resource with parts, such as the machine that an image is a copy of. */
function named(resource: ManagedResource, { resources, lists }: IacModel): string[] {
  const parents = new Set(resources.flatMap(({ parent }) => parent?.name ?? []));
  return moduleInputs(resource).flatMap(({ variable, type, ref }) => {
    const name = `var.${variable}`;
    const members = type.kind === 'object' ? type.members : [];
    const own = { value: name, given: name, ref };
    // The whole object may be null.
    const inner = members.map((member) => {
      const value = `${name}.${member.name}`;
      return { value, given: `try(${value}, null)`, ref: member.ref };
    });
    return [own, ...inner].flatMap((each) => {
      const holder = lists[each.ref?.list ?? ''];
      if (holder === undefined || !parents.has(holder)) return [];
      return [`${each.given} == null ? [] : ${lockOf(holder, each.value)},`];
    });
  });
}

/** The definition of `local.turn`, and the arguments that use it. */
export function turnsOf(
  resource: ManagedResource,
  model: IacModel,
): { readonly locals: readonly string[]; readonly uses: readonly string[] } {
  const { parent, create, update } = resource;
  const note = '# A machine or the like does one thing at a time: what it is needed for waits for its turn.';
  if (parent !== undefined)
    return {
      locals: [note, `turn = ${lockOf(parent.name, `var.${parent.input}`)}\n`],
      uses: ['create', ...(update === undefined ? [] : ['update']), 'delete'].map((call) =>
        assign(`precheck_${call}`, 'local.turn'),
      ),
    };
  const locks = create.startsOperation ? named(resource, model) : [];
  if (locks.length === 0) return { locals: [], uses: [] };
  return {
    locals: [note, `turn = ${braces(locks, 'concat(', ')')}\n`],
    uses: [assign('precheck_create', 'length(local.turn) == 0 ? null : local.turn')],
  };
}
