/** Chooses values for the inputs of all Terraform modules: from examples, from the lists that `x-ref` names, or from each other. */
import { isDeepStrictEqual } from 'node:util';
import type { Member, Type } from '../surfaces/iac/inputs.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import type { Choices } from '../surfaces/iac/schemas.ts';
import { type ModuleInput, moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import { secondValues } from './second-values.ts';
import { endpoints, urlOf } from './walk.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Read = (url: string) => Promise<Json>;

/** A further module of a resource, for inputs that exclude others or need another state. */
interface Variant {
  readonly of: string;
  readonly first: Json;
  readonly changes: Json;
}

const signingSecret = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

const variants: Readonly<Record<string, Variant>> = {
  vm_sized: {
    of: 'vm',
    first: { plan: undefined, custom_size: { vcpus: 1, memory_mb: 1024, disk_gb: 20 } },
    changes: { custom_size: { vcpus: 2, memory_mb: 2048, disk_gb: 30 } },
  },
  vm_stopped: {
    of: 'vm',
    first: { start: false },
    changes: {
      disk_gb: 200,
      placement_group_id: `\${module.placement_group.id}`,
      backup_policy_id: `\${module.backup_policy.id}`,
    },
  },
  network_second: { of: 'network', first: { ipv4_cidr: '10.77.0.0/24' }, changes: {} },
  vpn_gateway_moved: {
    of: 'vpn_gateway',
    first: {},
    changes: { network_ids: [`\${module.network_second.id}`] },
  },
  vpn_peer_site: {
    of: 'vpn_peer',
    first: { kind: 'site', routed_cidrs: ['192.168.50.0/24'] },
    changes: { routed_cidrs: ['192.168.60.0/24'] },
  },
  webhook_signed: {
    of: 'webhook',
    first: { secret: signingSecret(1) },
    changes: { secret: signingSecret(2) },
  },
};

/** Inputs that another value cannot be tried for, and why. */
export const untried: Readonly<Record<string, string>> = {
  'budget.currency': 'an account has one currency',
};

/** A module of the configuration, and the values of its inputs. */
export interface Instance {
  readonly module: string;
  readonly resource: ManagedResource;
  readonly body: Json;
  /** The id of its parent; that of the module of the parent if it is absent. */
  readonly parent?: string;
}

export class Values {
  readonly #read: Read;
  readonly #resources: readonly ManagedResource[];

  constructor(resources: readonly ManagedResource[], read: Read) {
    this.#resources = resources;
    this.#read = read;
  }

  /** One module of each resource, and the variants. */
  async instances(): Promise<Instance[]> {
    const plain: Instance[] = [];
    for (const resource of this.#resources)
      plain.push({ module: resource.name, resource, body: await this.#first(resource) });
    const further = Object.entries(variants).flatMap(([module, { of, first }]) =>
      plain
        .filter((instance) => instance.module === of)
        .map(({ resource, body }) => ({
          module,
          resource,
          body: { ...body, ...first, name: nameOf(module) },
        })),
    );
    return [...plain, ...further];
  }

  /** A value that the list has now; else the id of the module that makes such a resource. */
  async #pick({ list, value, in: place = '/data', filters = {} }: Choices, body: Json, wish: unknown) {
    const endpoint = endpoints.find(({ id }) => id === list);
    if (endpoint === undefined) throw new Error(`There is no list ${list}.`);
    const query = Object.fromEntries(
      Object.entries(filters).flatMap(([name, { equals, from = [] }]) => {
        const found = [from].flat().map((pointer) => body[pointer.slice(1)]);
        const known = equals ?? found.find((each) => typeof each === 'string' && !each.startsWith('$'));
        return known === undefined ? [] : [[name, String(known)]];
      }),
    );
    const rows = (await this.#read(urlOf(endpoint, {}, query)))[place.slice(1)] as readonly Json[];
    const values = rows.map((row) => row[value]);
    if (values.includes(wish)) return wish;
    const made = this.#resources.find(({ name }) => name === endpoint.resource.name);
    return values[0] ?? (made && `\${module.${made.name}.id}`);
  }

  async #value(member: Member, example: unknown, body: Json): Promise<unknown> {
    const { ref, type } = member;
    if (ref !== undefined) return this.#pick(ref, body, example);
    if (type.kind === 'list' && type.items.ref !== undefined && Array.isArray(example))
      return Promise.all(example.map((item) => this.#value(type.items, item, body)));
    if (type.kind === 'object' && type.choice !== undefined) return this.#choice(type, example, body);
    return example;
  }

  /** The first alternative whose values can all be found in lists. */
  async #choice(type: Type & { kind: 'object' }, example: unknown, body: Json): Promise<unknown> {
    const { by, cases } = type.choice ?? { by: '', cases: [] };
    const named = (name: string) => type.members.find((each) => each.name === name);
    const found = cases.find(
      ({ required }) => required.length > 0 && required.every((name) => named(name)?.ref !== undefined),
    );
    if (found === undefined) return example;
    const members = await Promise.all(
      found.required.map(async (name) => [
        name,
        await this.#value(named(name) as Member, (example as Json | undefined)?.[name], body),
      ]),
    );
    return { [by]: found.value, ...Object.fromEntries(members) };
  }

  /** By input: what the creation is sent. */
  async #first(resource: ManagedResource): Promise<Json> {
    const body: Record<string, unknown> = {};
    for (const input of moduleInputs(resource)) {
      const example = input.name === 'name' ? nameOf(resource.name) : resource.example[input.name];
      if (input.required || example !== undefined) body[input.name] = await this.#value(input, example, body);
    }
    return body;
  }

  /** The same with another value of each input that an update changes; of a variant, only of those that it is for. */
  async changed(instance: Instance): Promise<Instance> {
    const { module, resource, body } = instance;
    const variant = variants[module];
    if (variant !== undefined) return { ...instance, body: { ...body, ...variant.changes } };
    const changes: Record<string, unknown> = {};
    const byVariants = Object.values(variants).filter(({ of }) => of === resource.name);
    const changed = moduleInputs(resource).filter(
      ({ change, action }) => change === 'update' || action !== undefined,
    );
    for (const input of changed) {
      const name = `${resource.name}.${input.name}`;
      if (untried[name] !== undefined || byVariants.some(({ changes: its }) => input.name in its)) continue;
      const now = body[input.name] ?? input.default;
      const value =
        secondValues[name] ?? resource.updateExample[input.name] ?? (await this.#other(input, now));
      changes[input.name] = knownOr(name, value);
    }
    return { ...instance, body: { ...body, ...changes } };
  }

  async #other(input: ModuleInput, now: unknown): Promise<unknown> {
    if (input.type.kind !== 'list' || input.type.items.ref === undefined) return another(input, now);
    return [await this.#pick(input.type.items.ref, {}, undefined)];
  }
}

const nameOf = (module: string): string => `law-${module.replaceAll('_', '-')}`;

function knownOr(name: string, value: unknown): unknown {
  if (value === undefined)
    throw new Error(`${name}: no other value is known. Add one in terraform-values.ts.`);
  return value;
}

/** `resource.input` of each input that has another value in `after`. */
export const differing = (before: Instance, after: Instance): string[] =>
  moduleInputs(before.resource)
    .filter((input) => {
      const now = before.body[input.name] ?? input.default;
      return !isDeepStrictEqual(now, after.body[input.name] ?? input.default);
    })
    .map(({ name }) => `${before.resource.name}.${name}`);

/** An id that no resource has. */
const otherId = (id: string): string => id.replace('_0', '_1');

/** Another value than `now` that the limits allow; undefined if none is found. */
function another({ type, limits }: Member, now: unknown): unknown {
  if (limits.enum !== undefined) return limits.enum.find((value) => value !== now);
  if (type.kind === 'boolean') return now !== true;
  if (type.kind === 'integer' || type.kind === 'number')
    return typeof now === 'number' ? now + 1 : limits.minimum;
  if (type.kind === 'map') {
    const [, ...kept] = Object.entries((now ?? {}) as Json);
    return { ...Object.fromEntries(kept), changed: 'yes' };
  }
  if (type.kind === 'list') {
    const items = (now ?? []) as readonly unknown[];
    return (items.length === 0 ? [undefined] : items).map((item) => another(type.items, item));
  }
  if (type.kind === 'object') return anotherObject(type, (now ?? {}) as Json);
  return anotherText(limits, typeof now === 'string' ? now : '');
}

function anotherText(
  { pattern = '', minLength = 0, maxLength = 1000 }: Member['limits'],
  now: string,
): unknown {
  // An id that nothing has, for a list of ids that is empty.
  const [, prefix = ''] = /^\^([a-z]+_)\[0-7\]/.exec(pattern) ?? [];
  const candidates = [
    otherId(now),
    `${now}-2`,
    `${now}changed`,
    '7.00',
    'changed',
    '10.99.0.0/24',
    `${prefix}${'0'.repeat(26)}`,
  ];
  const form = new RegExp(pattern);
  const fits = ({ length }: string): boolean => length >= minLength && length <= maxLength;
  return candidates.find((value) => value !== now && form.test(value) && fits(value));
}

/** Another value of a member that it has; the one that decides about the others stays. */
function anotherObject({ members, choice }: Type & { kind: 'object' }, now: Json): unknown {
  const free = members.filter(({ name }) => name !== choice?.by);
  const member = free.find(({ name }) => now[name] !== undefined) ?? free[0];
  return member && { ...now, [member.name]: another(member, now[member.name]) };
}

/** By input: the module with another value that only a new resource can have. */
export function replacements(instance: Instance): Record<string, Instance> {
  const { resource, body, parent: parentId = '' } = instance;
  const { parent } = resource;
  const fixed = moduleInputs(resource).filter(({ change }) => change === 'replace');
  const others = fixed.map((input): [string, Instance] => {
    const value = knownOr(
      `${resource.name}.${input.name}`,
      another(input, body[input.name] ?? input.default),
    );
    return [input.name, { ...instance, body: { ...body, [input.name]: value } }];
  });
  return {
    ...Object.fromEntries(others),
    ...(parent === undefined ? {} : { [parent.input]: { ...instance, parent: otherId(parentId) } }),
  };
}
