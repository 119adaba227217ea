/** Commands for the installation itself: serve, worker, migrate, recount, config, audit and spec. */
import type { Command } from 'commander';
import { findBreak } from '../../kernel/audit/store.ts';
import { allAccounts } from '../../portal-api/accounts/view.ts';
import { readDefaultText } from '../../provider/default.ts';
import { reportFaults } from '../../provider/fault.ts';
import { docsUrlOf } from '../../provider/schema.ts';
import type { Db } from '../../store/database.ts';
import { migrate } from '../../store/migrations/migrate.ts';
import { openapiDocument } from '../openapi/document.ts';
import { factsOf } from '../openapi/facts.ts';
import { asYaml } from '../openapi/yaml.ts';
import { chooseAccount } from './choice.ts';
import type { Action, Cli } from './command.ts';
import { findConfigFile, loadConfiguration, requireConfiguration } from './configuration.ts';
import { withDatabase } from './database.ts';
import { choice } from './options.ts';
import { Refusal } from './refusal.ts';
import { clean } from './table.ts';

/** Returns the action of `serve`, which also runs if no command is given. */
export function addServe(program: Command, cli: Cli): Action {
  const { out, error } = cli.io;
  const run = (config: string | undefined, role: 'all' | 'api' | 'worker') => {
    // A reload reads the same file, also if a file with the default name appears or disappears meanwhile.
    const file = findConfigFile(cli.io, config);
    const reload = () => loadConfiguration(cli, file);
    return cli.parts.serve(requireConfiguration(cli, config), { out, error }, role, reload);
  };
  const serve = cli.action<{ worker?: boolean }>(async ({ config, worker = true }) =>
    run(config, worker ? 'all' : 'api'),
  );
  program
    .command('serve')
    .description('run the server (the default without a command)')
    .option('--no-worker', 'do not execute operations here; run separate worker processes for them')
    .action(serve);
  program
    .command('worker')
    .description('run only a worker, which executes operations; any number of workers can share one database')
    .action(cli.action(async ({ config }) => run(config, 'worker')));
  return serve;
}

export function addMigrate(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('migrate the database to this version, and create it if it does not exist')
    .action(
      cli.action(async ({ config }) => {
        const done = await withDatabase(requireConfiguration(cli, config), migrate, 'any');
        const text = done.length === 0 ? 'The database is up to date.\n' : `Done: ${done.join(', ')}\n`;
        return { json: { migrated: done }, text };
      }),
    );
}

export function addRecount(program: Command, cli: Cli): void {
  program
    .command('recount')
    .description('compute the totals of the meter and the counts of limits again where they are wrong')
    .action(
      cli.action(async ({ config }) => {
        const { families } = cli.parts.registry;
        const recount = (db: Db) => Promise.all(families.map((family) => family.recount?.(db) ?? []));
        const wrong = (await withDatabase(requireConfiguration(cli, config), recount, 'present')).flat();
        const recounted = [...new Set(wrong)].sort();
        const text =
          recounted.length === 0
            ? 'All totals and counts were right.\n'
            : `Computed again: ${recounted.join(', ')}\n`;
        return { json: { recounted }, text };
      }),
    );
}

export function addConfig(program: Command, cli: Cli): void {
  const config = program.command('config').description("the provider's configuration");
  config
    .command('check')
    .description('report every fault of a configuration')
    .argument('[file]', 'a configuration file (default: the one that the server would use)')
    .action(
      cli.action(async (options, [named]) => {
        const file = findConfigFile(cli.io, named ?? options.config);
        const loaded = loadConfiguration(cli, file);
        const faults = loaded.ok ? [] : loaded.faults;
        const where = file ?? 'The built-in configuration of the demo provider';
        const sold =
          loaded.ok && file !== undefined && loaded.isDemo
            ? ' It has neither provider nor catalogue, so the demo provider is sold.'
            : '';
        const text = loaded.ok ? `${where}: no faults.${sold}\n` : `${reportFaults(faults)}\n`;
        return { json: { file: file ?? null, valid: loaded.ok, faults }, text, code: loaded.ok ? 0 : 1 };
      }),
    );
  config
    .command('print-default')
    .description('print the complete configuration of the demo provider, as a start for your own')
    .action(
      cli.action(async () => {
        const text = readDefaultText();
        return { json: { text }, text };
      }),
    );
}

export function addAudit(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description('the audit log')
    .command('verify')
    .description('recompute the hash chain of an account: is any entry missing or changed?')
    .argument('[account]', 'id or exact name')
    .option('--all', 'every account')
    .action(
      cli.atDesk<{ all?: true }>(async (desk, { all }, [named]) => {
        if (all && named !== undefined) throw new Refusal('Name an account or use --all, not both.', 2);
        const accounts = all ? await allAccounts(desk.db) : [await chooseAccount(desk, named)];
        const chains: Chain[] = [];
        for (const account of accounts) chains.push(await verifyChain(desk.db, account));
        const broken = chains.filter(({ json }) => !json.whole);
        const verdict = `${chains.length - broken.length} of ${chains.length} audit logs are complete and unchanged.\n`;
        const shown = all ? [...broken.map(({ text }) => text), verdict] : chains.map(({ text }) => text);
        return {
          json: all ? chains.map(({ json }) => json) : chains[0]?.json,
          text: shown.join(''),
          code: broken.length === 0 ? 0 : 1,
        };
      }),
    );
}

interface Chain {
  readonly json: { readonly account_id: string; readonly whole: boolean; readonly broken_at: number | null };
  readonly text: string;
}

async function verifyChain(db: Db, account: { id: string; name: string }): Promise<Chain> {
  const { id } = account;
  const name = clean(account.name);
  const broken_at = await findBreak(db, id);
  const text =
    broken_at === null
      ? `The audit log of ${name} is complete and unchanged.\n`
      : `The audit log of ${name} (${id}) is broken at entry ${broken_at}: it, or the one before it, was changed or removed.\nCompare it with a backup, and find out who can write to the database.\n`;
  return { json: { account_id: id, whole: broken_at === null, broken_at }, text };
}

export function addSpec(program: Command, cli: Cli): void {
  program
    .command('spec')
    .description('print the OpenAPI document')
    .addOption(choice('--format <format>', ['json', 'yaml']).default('json'))
    .action(
      cli.action<{ format: 'json' | 'yaml' }>(async ({ config, format }) => {
        const provider = requireConfiguration(cli, config);
        const { server } = provider;
        const { registry, version } = cli.parts;
        const baseUrl = server.base_url ?? `${server.tls ? 'https' : 'http'}://${server.host}:${server.port}`;
        const docsUrl = docsUrlOf(provider, baseUrl);
        const document = openapiDocument(registry, { ...factsOf(provider), baseUrl, docsUrl, version });
        const text = format === 'yaml' ? asYaml(document) : `${JSON.stringify(document, null, 2)}\n`;
        return { json: document, text };
      }),
    );
}
