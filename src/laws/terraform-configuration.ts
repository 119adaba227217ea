/** A root configuration that uses modules, as a user would write it (in JSON, the other form of the language). */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { IacFile } from '../surfaces/iac/files.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import { moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import { type Instance, type Json, replacements } from './terraform-values.ts';

/** What the state has about a resource. */
interface Kept {
  /** The path with which it is read. */
  readonly id: string;
  readonly output: Json;
}

type Known = Readonly<Record<string, Kept>>;

interface Stored {
  readonly module: string;
  /** A module may have further resources of other types, which only change the first. */
  readonly type: string;
  readonly instances: readonly { readonly attributes: { id: string; output: { value: Json } } }[];
}

type State = Json & { readonly resources: readonly Stored[] };

/** An account has each key only once. */
function publicKey(byte: number): string {
  const type = 'ssh-ed25519';
  const parts = [Buffer.from(type), Buffer.alloc(32, byte)].map((part) =>
    Buffer.concat([Buffer.from([0, 0, 0, part.length]), part]),
  );
  return `${type} ${Buffer.concat(parts).toString('base64')}`;
}

/** What the scenario with this number is asked for. */
const wishes = (number: number): Json => ({
  location: 'fra1',
  plan: 'flex-1-2',
  image: 'debian-12',
  public_key: publicKey(number),
  url: 'https://hooks.example.com/alarm',
});

const SCENARIO = /^terraform\/scenarios\/([^/]+)\/variables\.tf$/;
const STATE = 'terraform.tfstate';
const MANAGED = 'restful_resource';

/** The last part of a path: the id of a resource. */
const idIn = (path = ''): string => path.slice(path.lastIndexOf('/') + 1);

/** An input that only a new resource can have another value of: `module.variable`. */
interface Replacement {
  readonly resource: ManagedResource;
  readonly text: string;
}

export class Configuration {
  readonly folder: string;
  /** By name: a module that is a whole scenario. */
  readonly scenarios: Readonly<Record<string, Json>>;

  private constructor(folder: string, scenarios: Readonly<Record<string, Json>>) {
    this.folder = folder;
    this.scenarios = scenarios;
  }

  static async make(folder: string, files: readonly IacFile[]): Promise<Configuration> {
    for (const { path, body } of files) {
      await mkdir(join(folder, dirname(path)), { recursive: true });
      await writeFile(join(folder, path), body);
    }
    await cp(join(folder, 'terraform/provider.tf'), join(folder, 'provider.tf'));
    const scenarios = files.flatMap(({ path, body }, i) => {
      const [, name] = SCENARIO.exec(path) ?? [];
      return name === undefined ? [] : [[name, scenarioOf(name, body.toString(), wishes(i))]];
    });
    return new Configuration(folder, Object.fromEntries(scenarios));
  }

  /** Initialised like this one, with an empty state. */
  async copyTo(folder: string): Promise<Configuration> {
    const filter = (path: string): boolean => !basename(path).startsWith(STATE);
    await cp(this.folder, folder, { recursive: true, verbatimSymlinks: true, filter });
    return new Configuration(folder, this.scenarios);
  }

  /** With `known`, the resources of that state are imported. */
  async write(
    instances: readonly Instance[],
    { known, others = {} }: { known?: Known; others?: Json } = {},
  ): Promise<void> {
    const modules = instances.map((instance) => [instance.module, moduleOf(instance)]);
    await this.writeModules(
      { ...Object.fromEntries(modules), ...others },
      known === undefined ? {} : { import: instances.map((instance) => importOf(instance, known)) },
    );
  }

  async writeModules(module: Json, more: Json = {}): Promise<void> {
    await writeFile(join(this.folder, 'main.tf.json'), JSON.stringify({ module, ...more }, null, 2));
  }

  /** Each module once as `from` has it, and once for each of its replacements; all exist, as `from` says. */
  async writeReplacements(instances: readonly Instance[], from: Configuration): Promise<Replacement[]> {
    const known = await from.state();
    const state = await from.#state();
    const each = instances.map((instance) => {
      const plain = withIds(instance, known);
      return { plain, all: { same: plain, ...replacements(plain) } };
    });
    await this.writeModules(
      Object.fromEntries(each.map(({ plain, all }) => [plain.module, moduleForEach(all)])),
    );
    const resources = each.flatMap(({ plain: { module }, all }) =>
      state.resources
        .filter((stored) => stored.module === `module.${module}`)
        .flatMap((stored) =>
          Object.keys(all).map((name) => ({ ...stored, module: `module.${module}["${name}"]` })),
        ),
    );
    await writeFile(join(this.folder, STATE), JSON.stringify({ ...state, resources }));
    return each.flatMap(({ plain: { module, resource }, all }) =>
      Object.keys(all)
        .filter((name) => name !== 'same')
        .map((name) => {
          const variable = moduleInputs(resource).find((input) => input.name === name)?.variable ?? name;
          return { resource, text: `${module}.${variable}` };
        }),
    );
  }

  /** By module. */
  async state(): Promise<Known> {
    const { resources } = await this.#state();
    return Object.fromEntries(
      resources
        .filter(({ type }) => type === MANAGED)
        .map(({ module, instances: [instance] }) => {
          const { id = '', output } = instance?.attributes ?? {};
          return [module.replace('module.', ''), { id, output: output?.value ?? {} }];
        }),
    );
  }

  async #state(): Promise<State> {
    return JSON.parse(await readFile(join(this.folder, STATE), 'utf8')) as State;
  }
}

function scenarioOf(name: string, variables: string, wanted: Json): Json {
  const required = [...variables.matchAll(/^variable "(\w+)" \{\n((?: .*\n)*)\}/gm)]
    .filter(([, , text = '']) => !text.includes('default'))
    .map(([, variable = '']) => [variable, wanted[variable]]);
  return {
    source: `./terraform/scenarios/${name}`,
    hostplane_url: `\${var.hostplane_url}`,
    hostplane_api_key: `\${var.hostplane_api_key}`,
    ...Object.fromEntries(required),
  };
}

function valuesOf({ resource, body, parent: parentId }: Instance): Json {
  const { parent } = resource;
  const values = moduleInputs(resource).flatMap(({ name, variable }) =>
    body[name] === undefined ? [] : [[variable, body[name]]],
  );
  return {
    ...(parent === undefined ? {} : { [parent.input]: parentId ?? `\${module.${parent.name}.id}` }),
    ...Object.fromEntries(values),
  };
}

const sourceOf = ({ resource }: Instance): Json => ({ source: `./terraform/modules/${resource.name}` });

const moduleOf = (instance: Instance): Json => ({ ...sourceOf(instance), ...valuesOf(instance) });

/** One module with `for_each`: OpenTofu takes far longer for many modules. */
function moduleForEach(instances: Readonly<Record<string, Instance>> & { readonly same: Instance }): Json {
  const values = Object.entries(instances).map(([name, instance]) => [name, valuesOf(instance)] as const);
  const variables = [...new Set(values.flatMap(([, own]) => Object.keys(own)))];
  const whole = (own: Json): Json =>
    Object.fromEntries(variables.map((variable) => [variable, own[variable] ?? null]));
  return {
    ...sourceOf(instances.same),
    for_each: Object.fromEntries(values.map(([name, own]) => [name, whole(own)])),
    ...Object.fromEntries(variables.map((variable) => [variable, `\${each.value.${variable}}`])),
  };
}

/** The same with the ids themselves in the place of references to modules. */
function withIds(instance: Instance, known: Known): Instance {
  const { resource, body } = instance;
  const { parent } = resource;
  const text = JSON.stringify(body).replaceAll(/\$\{module\.(\w+)\.id\}/g, (_, name) =>
    idIn(known[name]?.id),
  );
  return {
    ...instance,
    body: JSON.parse(text) as Json,
    ...(parent === undefined ? {} : { parent: idIn(known[parent.name]?.id) }),
  };
}

function importOf({ module, resource, body }: Instance, known: Known): Json {
  const key = String(known[module]?.output[resource.key] ?? body[resource.key]);
  return {
    to: `module.${module}.restful_resource.this`,
    id: `\${format(module.${module}.import_as, "${key}")}`,
  };
}
