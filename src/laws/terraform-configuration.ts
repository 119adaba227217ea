/** A root configuration that uses modules, as a user would write it (in JSON, the other form of the language). */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IacFile } from '../surfaces/iac/files.ts';
import { importSpec } from '../surfaces/iac/terraform/import.ts';
import { moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import type { Instance, Json } from './terraform-values.ts';

/** What the state has about a resource. */
export interface Kept {
  /** The path with which it is read. */
  readonly id: string;
  readonly output: Json;
}

interface Stored {
  readonly module: string;
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

export class Configuration {
  readonly folder: string;
  /** By name: the module with which the whole scenario is a part of this configuration. */
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

  /** Initialised like this one, with a state that has nothing but the scenarios. */
  async copyTo(folder: string): Promise<Configuration> {
    await cp(this.folder, folder, { recursive: true, verbatimSymlinks: true });
    const copy = new Configuration(folder, this.scenarios);
    const state = await this.#state();
    const inScenarios = ({ module }: Stored): boolean => topOf(module) in this.scenarios;
    await copy.#store({ ...state, resources: state.resources.filter(inScenarios) });
    return copy;
  }

  /** With `known`, the resources of that state are imported. */
  async write(instances: readonly Instance[], known?: Readonly<Record<string, Kept>>): Promise<void> {
    const modules = instances.map((instance) => [instance.module, moduleOf(instance)]);
    const config = {
      module: { ...this.scenarios, ...Object.fromEntries(modules) },
      ...(known === undefined ? {} : { import: instances.map((instance) => importOf(instance, known)) }),
    };
    await writeFile(join(this.folder, 'main.tf.json'), JSON.stringify(config, null, 2));
  }

  /** By module, without those inside the scenarios. */
  async state(): Promise<Readonly<Record<string, Kept>>> {
    const { resources } = await this.#state();
    return Object.fromEntries(
      resources
        .filter(({ module }) => !(topOf(module) in this.scenarios))
        .map(({ module, instances: [instance] }) => {
          const { id = '', output } = instance?.attributes ?? {};
          return [topOf(module), { id, output: output?.value ?? {} }];
        }),
    );
  }

  /** How many resources the state has. */
  async size(): Promise<number> {
    const { resources } = await this.#state();
    return resources.flatMap(({ instances }) => instances).length;
  }

  /** A file with the same state, in which each of `modules` has what the module that it is named after has. */
  async stateWithCopies(modules: readonly string[]): Promise<string> {
    const state = await this.#state();
    const copies = modules.flatMap((module) =>
      state.resources
        .filter((stored) => stored.module === `module.${module.split('__')[0]}`)
        .map((stored) => ({ ...stored, module: `module.${module}` })),
    );
    return this.#store({ ...state, resources: [...state.resources, ...copies] }, 'copies.tfstate');
  }

  async #state(): Promise<State> {
    return JSON.parse(await readFile(join(this.folder, STATE), 'utf8')) as State;
  }

  async #store(state: State, name = STATE): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, JSON.stringify(state));
    return file;
  }
}

/** `module.vm` → `vm`, `module.fleet.module.machine` → `fleet`. */
const topOf = (address: string): string => address.split('.')[1] ?? '';

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

function moduleOf({ resource, body, parent: parentId }: Instance): Json {
  const { name, parent } = resource;
  const values = moduleInputs(resource).flatMap(({ name: input, variable }) =>
    body[input] === undefined ? [] : [[variable, body[input]]],
  );
  return {
    source: `./terraform/modules/${name}`,
    ...(parent === undefined ? {} : { [parent.input]: parentId ?? `\${module.${parent.name}.id}` }),
    ...Object.fromEntries(values),
  };
}

function importOf({ module, resource, body }: Instance, known: Readonly<Record<string, Kept>>): Json {
  const { key, parent } = resource;
  const lastPart = (path = ''): string => path.slice(path.lastIndexOf('/') + 1);
  const spec = importSpec(
    resource,
    {
      key: String(known[module]?.output[key] ?? body[key]),
      ...(parent === undefined ? {} : { parent: lastPart(known[parent.name]?.id) }),
    },
    body,
  );
  return { to: `module.${module}.restful_resource.this`, id: JSON.stringify(spec) };
}
