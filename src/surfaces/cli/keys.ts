import type { Command } from 'commander';
import { type Lifetime, lifetimes } from '../../kernel/access/lifetimes.ts';
import { type PresetName, presetNames, presets } from '../../kernel/access/presets.ts';
import { type Approval, approvals } from '../../kernel/access/tables.ts';
import { contractPermissions } from '../../kernel/access/vocabulary.ts';
import { createKey, type KeyRules, type NewKey } from '../../portal-api/keys/creation.ts';
import { resumeKey, revocationReasons, revokeKey, suspendKey } from '../../portal-api/keys/life.ts';
import { listKeys } from '../../portal-api/keys/list.ts';
import { transferKey } from '../../portal-api/keys/ownership.ts';
import { overlaps, rollKey } from '../../portal-api/keys/roll.ts';
import type { KeyView } from '../../portal-api/keys/view.ts';
import { listMembers } from '../../portal-api/members/members.ts';
import { chooseAccount, chooseKey, chooseMember, isLiving } from './choice.ts';
import type { Cli, Desk, Output } from './command.ts';
import { choice, given } from './options.ts';
import { facts, table } from './table.ts';

function describe(key: KeyView, owner = key.owner.name): string {
  const { last_used: used, last_rejected: refused, revoked } = key;
  return facts({
    id: key.id,
    'public id': key.public_id,
    name: key.name,
    status: key.status,
    owner,
    permissions: key.permissions,
    preset: key.preset,
    approval: key.approval,
    'approval over': key.approval_over_monthly && `${key.approval_over_monthly} a month`,
    expires: key.expires_at ?? 'never',
    notes: key.notes,
    'last used': used && `${used.at.toISOString()} from ${used.ip} for ${used.operation_id}`,
    'last refused': refused && `${refused.at.toISOString()} from ${refused.ip}: ${refused.code}`,
    'replaced by': key.replaced_by,
    revoked: revoked && `${revoked.at.toISOString()} by ${revoked.by}: ${revoked.comment ?? revoked.reason}`,
    created: key.created_at,
  });
}

const shown = (key: KeyView): Output => ({ json: key, text: describe(key) });

/** Prints the secret of a new key. No other command prints a secret. */
function handOver(made: NewKey, more = ''): Output {
  const text = `${describe(made.key)}
The key, shown only this once. Store it now; send it as the header X-API-Key.

  ${made.secret}

${more}`;
  return { json: made, text, warnings: made.warnings };
}

/** Warns if another key of the same name still works, for example the key that this one was rolled from. */
async function stopped(desk: Desk, accountId: string, key: KeyView): Promise<Output> {
  const named = await listKeys(desk.db, accountId, key.name);
  const others = named.filter(({ id, status }) => id !== key.id && status === 'active');
  const warnings = others.map(({ id }) => ({
    code: 'namesake_works',
    detail: `Another key of this name still works, ${id}. To end it too: hostplane admin keys revoke ${id}`,
  }));
  return { ...shown(key), warnings };
}

const rulesOf = ({ registry, config }: Desk): KeyRules => ({
  vocabulary: contractPermissions(registry),
  catalogue: config.catalogue,
});

const presetHelp = presetNames
  .map((name) => `  ${name.padEnd(17)} ${presets[name].title}: ${presets[name].description}`)
  .join('\n');

const collect = (pattern: string, before: readonly string[] = []): string[] => [
  ...before,
  ...pattern.split(',').map((part) => part.trim()),
];

interface CreateOptions {
  name: string;
  expiresIn?: Lifetime;
  permission?: string[];
  preset?: PresetName;
  approval?: Approval;
  approvalOverMonthly?: string;
  owner?: string;
  notes?: string;
}

function addCreate(keys: Command, cli: Cli): void {
  keys
    .command('create')
    .description('create an API key and show its secret once')
    .requiredOption(
      '--name <name>',
      '1-64 characters, unique among the active and suspended keys of the account',
    )
    .option('--permission <pattern>', 'family:resource:verb with * for a whole part; repeatable', collect)
    .addOption(choice('--preset <preset>', presetNames, 'instead of permissions'))
    .addOption(choice('--expires-in <time>', lifetimes, 'default: 90d, or less if the account requires it'))
    .addOption(choice('--approval <mode>', approvals, 'which calls a person must approve'))
    .option(
      '--approval-over-monthly <amount>',
      'also approve calls that add more than this to the monthly cost',
    )
    .option('--owner <member>', 'id or e-mail address (default: the first owner of the account)')
    .option('--notes <text>', 'up to 255 characters')
    .addHelpText('after', `\nPresets:\n${presetHelp}`)
    .action(
      cli.atDesk<CreateOptions>(
        async (
          desk,
          { name, expiresIn, permission, preset, approval, approvalOverMonthly, owner, notes },
        ) => {
          const account = await chooseAccount(desk);
          const owner_id = owner && (await chooseMember(desk, account.id, owner)).id;
          const more = given({
            permissions: permission,
            preset,
            approval,
            approval_over_monthly: approvalOverMonthly,
            notes,
            expires_in: expiresIn,
            owner_id,
          });
          const input = { account_id: account.id, name, ...more };
          return handOver(await createKey(desk.db, desk.actor, input, rulesOf(desk)));
        },
      ),
    );
}

function addRoll(keys: Command, cli: Cli): void {
  keys
    .command('roll')
    .description('replace a key by a new one with the same name and permissions')
    .argument('<key>', 'id, public id or name')
    .addOption(choice('--overlap <time>', overlaps, 'how long the old key still works').default('24h'))
    .addOption(choice('--expires-in <time>', lifetimes, 'default: as the old key'))
    .action(
      cli.atDesk<{ overlap: (typeof overlaps)[number]; expiresIn?: Lifetime }>(
        async (desk, { overlap, expiresIn }, args) => {
          const account = await chooseAccount(desk);
          const { id, name, owner } = await chooseKey(desk, account.id, args[0] ?? '');
          const end = overlap === '0' ? ` The current key ${name} stops working at once.` : '';
          await desk.confirm(
            `The new secret of the key of ${owner.name} is shown here: hand it to ${owner.name} and to nobody else. A member who can sign in to the portal can roll the key there, without you.${end}`,
          );
          const input = { account_id: account.id, key_id: id, overlap, ...given({ expires_in: expiresIn }) };
          const made = await rollKey(desk.db, desk.actor, input, rulesOf(desk));
          const [old] = await listKeys(desk.db, account.id, id);
          const ends = old?.expires_at?.toISOString() ?? 'an unknown time';
          return handOver(made, `The old key ${id} ends at ${ends}.\n`);
        },
      ),
    );
}

export function addKeys(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('API keys of an account');
  const WHICH = 'id, public id or name';

  keys
    .command('list')
    .description('keys that are active or suspended')
    .option('--all', 'also expired and revoked keys')
    .action(
      cli.atDesk<{ all?: true }>(async (desk, { all }) => {
        const account = await chooseAccount(desk);
        const found = (await listKeys(desk.db, account.id)).filter(({ status }) => all || isLiving(status));
        const rows = found.map(({ id, public_id, name, status, owner, expires_at, last_used }) => ({
          id,
          'public id': public_id,
          name,
          status,
          owner: owner.name,
          expires: expires_at ?? 'never',
          'last used': last_used?.at,
        }));
        return { json: found, text: table(rows, 'There are no such keys.') };
      }),
    );

  keys
    .command('show')
    .description('one key, without its secret')
    .argument('<key>', WHICH)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const key = await chooseKey(desk, account.id, args[0] ?? '');
        // Role and status of the owner also decide what the key may do and whether it works.
        const owner = (await listMembers(desk.db, account.id)).find(({ id }) => id === key.owner.member_id);
        if (owner === undefined) return shown(key);
        const { role, status } = owner;
        const json = { ...key, owner: { ...key.owner, role, status } };
        return { json, text: describe(key, `${key.owner.name} (${role}, ${status})`) };
      }),
    );

  addCreate(keys, cli);
  addRoll(keys, cli);

  for (const [verb, description, act] of [
    ['suspend', 'pause a key', suspendKey],
    ['resume', 'let a paused key work again', resumeKey],
  ] as const) {
    keys
      .command(verb)
      .description(description)
      .argument('<key>', WHICH)
      .action(
        cli.atDesk(async (desk, _, args) => {
          const account = await chooseAccount(desk);
          const { id, name } = await chooseKey(desk, account.id, args[0] ?? '');
          if (verb === 'suspend') await desk.confirm(`Calls with the key ${name} will be refused.`);
          const done = await act(desk.db, desk.actor, { account_id: account.id, key_id: id });
          return verb === 'suspend' ? stopped(desk, account.id, done) : shown(done);
        }),
      );
  }

  keys
    .command('revoke')
    .description('stop a key at once and for good')
    .argument('<key>', WHICH)
    .addOption(choice('--reason <reason>', revocationReasons).default('other'))
    .option('--comment <text>', 'up to 200 characters')
    .action(
      cli.atDesk<{ reason: (typeof revocationReasons)[number]; comment?: string }>(
        async (desk, { reason, comment }, args) => {
          const account = await chooseAccount(desk);
          const { id, name } = await chooseKey(desk, account.id, args[0] ?? '');
          await desk.confirm(`The key ${name} (${id}) stops working for good.`);
          const input = { account_id: account.id, key_id: id, reason, ...given({ comment }) };
          return stopped(desk, account.id, await revokeKey(desk.db, desk.actor, input));
        },
      ),
    );

  keys
    .command('transfer')
    .description('give a key another owner, whose role then limits it')
    .argument('<key>', WHICH)
    .argument('<member>', 'id or e-mail address')
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const key = await chooseKey(desk, account.id, args[0] ?? '');
        const member = await chooseMember(desk, account.id, args[1] ?? '');
        const input = { account_id: account.id, key_id: key.id, owner_id: member.id };
        return shown(await transferKey(desk.db, desk.actor, input, desk.config.catalogue));
      }),
    );
}
