/** A root configuration that uses modules, as a user would write it (in JSON, the other form of the language). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IacFile } from '../surfaces/iac/files.ts';
import type { ManagedResource } from '../surfaces/iac/model.ts';
import { importSpec } from '../surfaces/iac/terraform/import.ts';
import { moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import type { Json } from './terraform-values.ts';

/** What the state has about a resource. */
export interface Kept {
  /** The path with which it is read. */
  readonly id: string;
  readonly path: string;
  readonly output: Json;
}

export class Configuration {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(folder: string, files: readonly IacFile[]): Promise<Configuration> {
    for (const { path, body } of files) {
      await mkdir(join(folder, dirname(path)), { recursive: true });
      await writeFile(join(folder, path), body);
    }
    const provider = files.find(({ path }) => path === 'terraform/provider.tf');
    await writeFile(join(folder, 'provider.tf'), provider?.body ?? '');
    return new Configuration(folder);
  }

  /** With `known`, the resources of that state are imported. */
  async write(
    resources: readonly ManagedResource[],
    bodies: Readonly<Record<string, Json>>,
    known?: Readonly<Record<string, Kept>>,
  ): Promise<void> {
    const modules = resources.map((resource) => [
      resource.name,
      moduleOf(resource, bodies[resource.name] ?? {}),
    ]);
    const imports = known === undefined ? [] : resources.map((resource) => importOf(resource, bodies, known));
    const config = {
      module: Object.fromEntries(modules),
      ...(known === undefined ? {} : { import: imports }),
    };
    await writeFile(join(this.folder, 'main.tf.json'), JSON.stringify(config, null, 2));
  }

  /** By module. */
  async state(): Promise<Readonly<Record<string, Kept>>> {
    const text = await readFile(join(this.folder, 'terraform.tfstate'), 'utf8');
    const { resources } = JSON.parse(text) as {
      resources: readonly {
        module: string;
        instances: readonly { attributes: { id: string; path: string; output: { value: Json } } }[];
      }[];
    };
    return Object.fromEntries(
      resources.map(({ module, instances: [instance] }) => {
        const { id = '', path = '', output } = instance?.attributes ?? {};
        return [module.replace('module.', ''), { id, path, output: output?.value ?? {} }];
      }),
    );
  }
}

function moduleOf(resource: ManagedResource, body: Json): Json {
  const { name, parent } = resource;
  const values = moduleInputs(resource).flatMap(({ name: input, variable }) =>
    body[input] === undefined ? [] : [[variable, body[input]]],
  );
  return {
    source: `./terraform/modules/${name}`,
    ...(parent === undefined ? {} : { [parent.input]: `\${module.${parent.name}.id}` }),
    ...Object.fromEntries(values),
  };
}

function importOf(
  resource: ManagedResource,
  bodies: Readonly<Record<string, Json>>,
  known: Readonly<Record<string, Kept>>,
): Json {
  const { name, key, parent } = resource;
  const body = bodies[name] ?? {};
  const lastPart = (path = ''): string => path.slice(path.lastIndexOf('/') + 1);
  const spec = importSpec(
    resource,
    {
      key: String(known[name]?.output[key] ?? body[key]),
      ...(parent === undefined ? {} : { parent: lastPart(known[parent.name]?.id) }),
    },
    body,
  );
  return { to: `module.${name}.restful_resource.this`, id: JSON.stringify(spec) };
}
