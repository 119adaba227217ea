import type { Command } from 'commander';
import { type AccountStatus, type Approval, accountStatuses, approvals } from '../../kernel/access/tables.ts';
import { familyNames } from '../../kernel/families.ts';
import { type CreateAccount, createAccount } from '../../portal-api/accounts/creation.ts';
import { setKeyPolicy, suspendAllKeys } from '../../portal-api/accounts/key-policy.ts';
import { setLimit } from '../../portal-api/accounts/limits.ts';
import { type SetProduct, setProduct } from '../../portal-api/accounts/products.ts';
import { setAccountStatus } from '../../portal-api/accounts/status.ts';
import { type AccountDetails, listAccounts, showAccount } from '../../portal-api/accounts/view.ts';
import { chooseAccount } from './choice.ts';
import type { Cli, Desk, Output } from './command.ts';
import { choice, given, wholeNumber } from './options.ts';
import { facts, table } from './table.ts';

function describe(account: AccountDetails): string {
  const { key_max_lifetime_days: longest, key_non_expiring_allowed: endless } = account;
  return facts({
    id: account.id,
    name: account.name,
    status: account.status,
    currency: account.currency,
    country: account.country,
    timezone: account.timezone,
    members: account.members,
    'API keys': account.keys,
    'all keys suspended': account.keys_suspended,
    'key lifetime': endless ? 'any, or without an end' : `${longest ?? 365} days at most`,
    'key approval': account.key_default_approval,
    products: account.products.map(({ family, enabled, reason }) =>
      enabled ? family : `${family} (off${reason === null ? '' : `: ${reason}`})`,
    ),
    'own limits': account.limits.map(({ limit_id, value }) => `${limit_id} = ${value ?? 'none'}`),
    created: account.created_at,
  });
}

async function shown({ db }: Desk, accountId: string): Promise<Output> {
  const account = await showAccount(db, accountId);
  return { json: account, text: describe(account) };
}

const LOCKS_OUT: Readonly<Partial<Record<AccountStatus, string>>> = {
  suspended: 'Its API keys can then only read and delete.',
  closing: 'Its API keys can then only read and delete, until it is closed or active again.',
  closed: 'All its API keys stop working for good.',
};

export function addAccounts(program: Command, cli: Cli): void {
  const accounts = program.command('accounts').description('customer accounts and what each may do');

  accounts
    .command('list')
    .description('all accounts')
    .action(
      cli.atDesk(async ({ db }) => {
        const found = await listAccounts(db);
        const rows = found.map(({ id, name, status, members, keys, created_at }) => ({
          id,
          name,
          status,
          members,
          keys,
          created: created_at,
        }));
        return {
          json: found,
          text: table(rows, 'There is no account yet. Create one: hostplane admin accounts create --help'),
        };
      }),
    );

  accounts
    .command('create')
    .description('create an account with its first owner')
    .requiredOption('--name <name>', 'name of the company or person')
    .requiredOption('--owner-name <name>', 'who runs the account')
    .requiredOption('--owner-email <address>', "the owner's e-mail address")
    .option('--currency <code>', "ISO 4217 code (default: the provider's)")
    .option('--country <code>', "ISO 3166 code (default: the provider's)")
    .option('--timezone <name>', "such as Europe/Berlin (default: the provider's)")
    .action(
      cli.atDesk<{ name: string; ownerName: string; ownerEmail: string } & Partial<CreateAccount>>(
        async ({ db, actor, config }, { name, ownerName, ownerEmail, currency, country, timezone }) => {
          const input = { name, owner_name: ownerName, owner_email: ownerEmail };
          const more = given({ currency, country, timezone });
          const made = await createAccount(db, actor, { ...input, ...more }, config);
          const { account, owner } = made;
          const text = `${facts({ account: account.id, name: account.name, owner: `${owner.name} (${owner.id})` })}
Create a key for it: hostplane admin keys create --account ${account.id} --name first --preset read-only\n`;
          return { json: made, text };
        },
      ),
    );

  accounts
    .command('show')
    .description('one account with products, key policy and limits of its own')
    .argument('[account]', 'id or exact name')
    .action(cli.atDesk(async (desk, _, [named]) => shown(desk, (await chooseAccount(desk, named)).id)));

  accounts
    .command('set-status')
    .description('restrict, suspend, reinstate or close an account')
    .addArgument(choice('<status>', accountStatuses))
    .action(
      cli.atDesk(async (desk, _, args) => {
        const status = args[0] as AccountStatus;
        const account = await chooseAccount(desk);
        const harm = LOCKS_OUT[status];
        if (harm !== undefined && account.status !== status) {
          const expected = status === 'suspended' ? undefined : account.name;
          await desk.confirm(`${account.name} becomes ${status}. ${harm}`, expected);
        }
        await setAccountStatus(desk.db, desk.actor, { account_id: account.id, status });
        return shown(desk, account.id);
      }),
    );

  for (const enabled of [true, false]) {
    const verb = enabled ? 'enable' : 'disable';
    const command = accounts
      .command(`${verb}-product`)
      .description(
        enabled ? 'give a product family to the account' : 'take a product family from the account',
      )
      .addArgument(
        choice(
          '<family>',
          familyNames.filter((name) => name !== 'account'),
        ),
      );
    if (!enabled) command.option('--reason <text>', 'the reason that the customer sees');
    command.action(
      cli.atDesk<{ reason?: string }>(async (desk, { reason }, args) => {
        const account = await chooseAccount(desk);
        const family = args[0] as SetProduct['family'];
        if (!enabled) await desk.confirm(`Keys of ${account.name} will no longer reach ${family}.`);
        const input = { account_id: account.id, family, enabled, ...given({ reason }) };
        await setProduct(desk.db, desk.actor, input);
        return shown(desk, account.id);
      }),
    );
  }

  accounts
    .command('key-policy')
    .description('rules for new API keys of the account')
    .option('--max-lifetime-days <days>', '1-365, or "none" for no upper limit below a year')
    .addOption(choice('--non-expiring <rule>', ['allow', 'forbid']))
    .addOption(choice('--default-approval <mode>', approvals))
    .action(
      cli.atDesk<{ maxLifetimeDays?: string; nonExpiring?: 'allow' | 'forbid'; defaultApproval?: Approval }>(
        async (desk, { maxLifetimeDays: days, nonExpiring, defaultApproval }) => {
          const account = await chooseAccount(desk);
          const policy = given({
            max_lifetime_days: days === undefined ? undefined : days === 'none' ? null : wholeNumber(days),
            non_expiring_allowed: nonExpiring === undefined ? undefined : nonExpiring === 'allow',
            default_approval: defaultApproval,
          });
          await setKeyPolicy(desk.db, desk.actor, { account_id: account.id, ...policy });
          return shown(desk, account.id);
        },
      ),
    );

  for (const suspended of [true, false]) {
    accounts
      .command(suspended ? 'suspend-keys' : 'resume-keys')
      .description(suspended ? 'emergency stop: no key of the account works' : 'end the emergency stop')
      .action(
        cli.atDesk(async (desk) => {
          const account = await chooseAccount(desk);
          if (suspended)
            await desk.confirm(`All ${account.keys} API keys of ${account.name} stop working at once.`);
          await suspendAllKeys(desk.db, desk.actor, { account_id: account.id, suspended });
          return shown(desk, account.id);
        }),
      );
  }

  accounts
    .command('set-limit')
    .description("set a limit of the account that differs from the provider's")
    .argument('<limit>', 'such as account.api-keys (see catalogue.limits of the configuration)')
    .argument('<value>', 'a number, "none" for no limit, "default" for the limit of the provider')
    .action(
      cli.atDesk(async (desk, _, args) => {
        const [limit_id = '', value = ''] = args;
        const account = await chooseAccount(desk);
        const chosen = value === 'default' ? {} : { value: value === 'none' ? null : wholeNumber(value) };
        const input = { account_id: account.id, limit_id, ...chosen };
        const set = await setLimit(desk.db, desk.actor, input, desk.config.catalogue);
        return {
          json: set,
          text: facts({ limit: limit_id, value: set.value ?? 'none', own: set.overridden }),
        };
      }),
    );
}
