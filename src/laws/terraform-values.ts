/** Chooses values for the inputs of all Terraform modules: from examples, from the lists that `x-ref` names, or from each other. */
import type { Member, Type } from '../surfaces/iac/inputs.ts';
import type { ManagedResource } from '../surfaces/iac/model.ts';
import type { Choices } from '../surfaces/iac/schemas.ts';
import { type ModuleInput, moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import { endpoints, urlOf } from './walk.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Read = (url: string) => Promise<Json>;

/** Values that neither an example nor a list has, because they depend on other values. */
const chosen: Readonly<Record<string, unknown>> = {
  'interface.alias_ips': ['10.10.0.50'],
  'network.dns': { servers: ['10.10.0.53'], domain: 'law.example' },
  'budget.scope': { families: ['flexible-vps'] },
  'webhook.event_types': ['vm.*'],
  'vm.plan': 'flex-4-8',
  'vm.protection': { redeploy: true },
};

/** Inputs that another value cannot be tried for, and why. */
const untried: Readonly<Record<string, string>> = {
  'vm.custom_size': 'it is sent instead of a plan',
  'vm.disk_gb': 'the plan that is changed decides it',
  'vm.placement_group_id': 'the machine has to be stopped',
  'vm.backup_policy_id': 'backups are not offered',
  'budget.currency': 'an account has one currency',
  'webhook.secret': 'it is sent instead of a secret version',
  'webhook.secret_version': 'only the next number is accepted',
};

export class Values {
  readonly #read: Read;
  readonly #resources: readonly ManagedResource[];

  constructor(resources: readonly ManagedResource[], read: Read) {
    this.#resources = resources;
    this.#read = read;
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
  async first(resource: ManagedResource): Promise<Json> {
    const body: Record<string, unknown> = {};
    for (const input of moduleInputs(resource)) {
      const example =
        input.name === 'name' ? `law-${resource.name.replaceAll('_', '-')}` : resource.example[input.name];
      if (input.required || example !== undefined) body[input.name] = await this.#value(input, example, body);
    }
    return body;
  }

  /** By input: another value of each input that an update changes. */
  async changed(resource: ManagedResource, body: Json): Promise<Json> {
    const changes: Record<string, unknown> = {};
    for (const input of moduleInputs(resource).filter(({ change }) => change === 'update')) {
      const name = `${resource.name}.${input.name}`;
      if (untried[name] !== undefined) continue;
      const now = body[input.name] ?? input.default;
      const value = chosen[name] ?? resource.updateExample[input.name] ?? (await this.#other(input, now));
      if (value === undefined)
        throw new Error(`${name}: no other value is known. Add one in terraform-values.ts.`);
      changes[input.name] = value;
    }
    return changes;
  }

  async #other(input: ModuleInput, now: unknown): Promise<unknown> {
    if (input.type.kind !== 'list' || input.type.items.ref === undefined) return another(input, now);
    return [await this.#pick(input.type.items.ref, {}, undefined)];
  }
}

/** Another value than `now` that the limits allow; undefined if none is found. */
export function another({ type, limits }: Member, now: unknown): unknown {
  if (limits.enum !== undefined) return limits.enum.find((value) => value !== now);
  if (type.kind === 'boolean') return now !== true;
  if (type.kind === 'integer' || type.kind === 'number')
    return typeof now === 'number' ? now + 1 : limits.minimum;
  if (type.kind === 'map') {
    const [, ...kept] = Object.entries((now ?? {}) as Json);
    return { ...Object.fromEntries(kept), changed: 'yes' };
  }
  if (type.kind === 'list') return (now as Json[] | undefined)?.map((item) => another(type.items, item));
  if (type.kind === 'object') {
    const [first] = type.members;
    return (
      first && { ...(now as Json), [first.name]: another(first, (now as Json | undefined)?.[first.name]) }
    );
  }
  const text = typeof now === 'string' ? now : '';
  const candidates = [`${text}-2`, `${text}changed`, '7.00', 'changed'];
  const pattern = new RegExp(limits.pattern ?? '');
  return candidates.find((value) => pattern.test(value) && value.length <= (limits.maxLength ?? 1000));
}

/** Another value that only a new resource can have; none if its parent is the only such input. */
export function replacing(resource: ManagedResource, body: Json): Json {
  for (const input of moduleInputs(resource).filter(({ change }) => change === 'replace')) {
    const value = another(input, body[input.name] ?? input.default);
    if (value !== undefined) return { [input.name]: value };
  }
  return {};
}
