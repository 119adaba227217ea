/** What every test with the real OpenTofu needs: a server with an account, the modules, and a configuration that uses them. */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { openExchange } from '../surfaces/http/exchange.ts';
import { iacOf } from '../surfaces/iac/files.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { serveIac } from '../surfaces/iac/routes.ts';
import type { Setting } from '../surfaces/iac/settings.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { isLong } from '../testing/long-form.ts';
import { noLimit } from '../testing/no-limit.ts';
import { Front } from '../testing/terraform/front.ts';
import { type Ran, Tofu, whyNoTofu } from '../testing/terraform/tofu.ts';
import { VpsAccount } from '../testing/vps.ts';
import { Configuration } from './terraform-configuration.ts';
import type { Json } from './terraform-values.ts';

const document = exampleDocument(buildRegistry(families));
export const model = iacModel(document);

/** OpenTofu takes a tenth of this, unless the machine is busy. */
export const TIMEOUT_MS = 1_800_000;

/** Runs of OpenTofu take minutes where it is emulated; `terraform-changes.test.ts` is the short form. */
export const whyNotLong = whyNoTofu ?? (isLong ? null : 'only npm test -- --all runs it');

/** The id of what another module makes. */
export const idOf = (module: string): string => `\${module.${module}.id}`;

export const using = (module: string, inputs: Json): Json => ({
  source: `./terraform/modules/${module}`,
  ...inputs,
});

/** The name of the resource that a setting refers to. */
export const targetOf = ({ member }: Setting): string => model.lists[member.ref?.list ?? ''] ?? '';

/** Each module that sets a reference, between modules that are named after the resources that they make. */
export const settingModules: Json = Object.fromEntries(
  model.settings.map((setting) => {
    const { name, of, member } = setting;
    return [name, using(name, { [`${of.name}_id`]: idOf(of.name), [member.name]: idOf(targetOf(setting)) })];
  }),
);

/** What OpenTofu printed, without its frames and line breaks. */
export const wordsOf = ({ output }: Ran): string => output.replaceAll(/[\s│]+/g, ' ');

interface Parts {
  readonly app: TestApp;
  readonly owner: VpsAccount;
  /** The key that OpenTofu uses. */
  readonly key: string;
  readonly front: Front;
  readonly folder: string;
  readonly tofu: Tofu;
  readonly file: Configuration;
}

interface Options {
  /** What OpenTofu is told beside its key. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the READMEs of these modules ask for is all that the key may do. */
  readonly modules?: readonly { readonly permissions: readonly string[] }[];
}

const everyModule: NonNullable<Options['modules']> = [
  ...[...model.resources, ...model.attachments, ...model.settings],
  ...model.lookups.map(({ permission }) => ({ permissions: [permission] })),
];

async function openParts({ environment = {}, modules = everyModule }: Options): Promise<Parts> {
  const folder = await makeTemporaryFolder();
  const app = await createTestApp({
    works: true,
    limiter: noLimit,
    serve: (server, services) => serveIac(server, services, openExchange),
  });
  await app.app.listen({ host: '127.0.0.1', port: 0 });
  const front = await Front.open((app.app.server.address() as AddressInfo).port, app.services.baseUrl);
  const owner = await VpsAccount.open(app);
  const permissions = [...new Set(modules.flatMap((module) => module.permissions))];
  const { key } = await createKey(app.services.db, owner.account, { permissions });
  const access = { TF_VAR_hostplane_api_key: key, TF_VAR_hostplane_url: front.url };
  const tofu = await Tofu.open(folder, { ...access, ...environment });
  const file = await Configuration.make(join(folder, 'all'), iacOf(document, 'law').files);
  return { app, owner, key, front, folder, tofu, file };
}

export interface TerraformRig extends Parts {
  /** What all runs have printed. */
  readonly printed: readonly string[];
  run(place: Configuration, ...args: string[]): Promise<Ran>;
  /** Prepares the folder for the modules that its file uses; copies of it need no preparation. */
  init(): Promise<void>;
  plan(place?: Configuration): Promise<Ran>;
  apply(place?: Configuration): Promise<Ran>;
  destroy(place?: Configuration, ...more: string[]): Promise<Ran>;
  /** The id that the API has given to what this module has made. */
  idIn(module: string): Promise<string>;
  close(): Promise<void>;
}

export async function openRig(options: Options = {}): Promise<TerraformRig> {
  const parts = await openParts(options);
  const { app, front, folder, tofu, file } = parts;
  const printed: string[] = [];
  const run = async (place: Configuration, ...args: string[]): Promise<Ran> => {
    const ran = await tofu.run(place.folder, ...args, '-no-color', '-input=false');
    printed.push(ran.output);
    return ran;
  };
  return {
    ...parts,
    printed,
    run,
    async init() {
      await succeeding(run(file, 'init'));
    },
    plan: (place = file) => run(place, 'plan', '-detailed-exitcode'),
    apply: (place = file) => run(place, 'apply', '-auto-approve'),
    destroy: (place = file, ...more) => run(place, 'destroy', '-auto-approve', ...more),
    async idIn(module) {
      const { id = '' } = (await file.state())[module] ?? {};
      return id.slice(id.lastIndexOf('/') + 1);
    },
    async close() {
      await front.close();
      await app.close();
      await removeTemporaryFolder(folder);
    },
  };
}

/** A run that has to succeed. */
export async function succeeding(run: Promise<Ran>): Promise<Ran> {
  const ran = await run;
  expect(ran.code, ran.output).toBe(0);
  return ran;
}
