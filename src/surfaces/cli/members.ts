import type { Command } from 'commander';
import { type RoleName, roleNames, roles } from '../../kernel/access/roles.ts';
import {
  addMember,
  changeRole,
  listMembers,
  reinstateMember,
  suspendMember,
} from '../../portal-api/members/members.ts';
import { removeMember } from '../../portal-api/members/removal.ts';
import type { MemberRow } from '../../portal-api/members/store.ts';
import { chooseAccount, chooseMember } from './choice.ts';
import type { Cli, Output } from './command.ts';
import { choice } from './options.ts';
import { facts, table } from './table.ts';

function shown({ id, name, email, role, status }: MemberRow): Output {
  const member = { id, name, email, role, status };
  return { json: member, text: facts(member) };
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function addMembers(program: Command, cli: Cli): void {
  const members = program.command('members').description('people of an account and their roles');
  members.addHelpText(
    'after',
    `\nRoles:\n${roleNames.map((name) => `  ${name.padEnd(10)} ${roles[name].description}`).join('\n')}`,
  );
  const WHO = 'id or e-mail address';

  members
    .command('list')
    .description('all members of the account')
    .action(
      cli.atDesk(async (desk) => {
        const account = await chooseAccount(desk);
        const found = await listMembers(desk.db, account.id);
        const rows = found.map(({ id, name, email, role, status, key_count: keys }) => ({
          id,
          name,
          email,
          role,
          status,
          keys,
        }));
        return { json: found, text: table(rows, 'The account has no members.') };
      }),
    );

  members
    .command('add')
    .description('add a member to the account')
    .requiredOption('--name <name>', 'the name that others see')
    .requiredOption('--email <address>', 'unique in the account')
    .addOption(choice('--role <role>', roleNames).makeOptionMandatory())
    .action(
      cli.atDesk<{ name: string; email: string; role: RoleName }>(async (desk, { name, email, role }) => {
        const account = await chooseAccount(desk);
        return shown(await addMember(desk.db, desk.actor, { account_id: account.id, name, email, role }));
      }),
    );

  members
    .command('set-role')
    .description('change what a member, and every key of that member, may do')
    .argument('<member>', WHO)
    .addArgument(choice('<role>', roleNames))
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const { id } = await chooseMember(desk, account.id, args[0] ?? '');
        const input = { account_id: account.id, member_id: id, role: args[1] as RoleName };
        const { member, warnings } = await changeRole(desk.db, desk.actor, input);
        return { ...shown(member), warnings };
      }),
    );

  members
    .command('suspend')
    .description('suspend a member; the keys of that member stop working as well')
    .argument('<member>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const member = await chooseMember(desk, account.id, args[0] ?? '');
        await desk.confirm(`${member.name} and ${plural(member.key_count, 'API key')} stop at once.`);
        const input = { account_id: account.id, member_id: member.id };
        return shown(await suspendMember(desk.db, desk.actor, input));
      }),
    );

  members
    .command('reinstate')
    .description('reinstate a suspended member and the keys of that member')
    .argument('<member>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const { id } = await chooseMember(desk, account.id, args[0] ?? '');
        return shown(await reinstateMember(desk.db, desk.actor, { account_id: account.id, member_id: id }));
      }),
    );

  members
    .command('remove')
    .description('remove a member from the account; the keys are revoked unless you transfer them')
    .argument('<member>', WHO)
    .option('--transfer-keys-to <member>', 'the new owner of the keys')
    .action(
      cli.atDesk<{ transferKeysTo?: string }>(async (desk, { transferKeysTo }, args) => {
        const account = await chooseAccount(desk);
        const member = await chooseMember(desk, account.id, args[0] ?? '');
        const heir = transferKeysTo && (await chooseMember(desk, account.id, transferKeysTo));
        const keys = plural(member.key_count, 'API key');
        const outcome = heir ? `${keys} go to ${heir.name}` : `${keys} are revoked for good`;
        await desk.confirm(`${member.name} leaves ${account.name}; ${outcome}.`);
        const input = { account_id: account.id, member_id: member.id };
        const removed = await removeMember(
          desk.db,
          desk.actor,
          heir ? { ...input, transfer_keys_to: heir.id } : input,
          desk.config.catalogue,
        );
        const text = facts({
          removed: member.name,
          'revoked keys': removed.revoked_keys,
          'transferred keys': removed.transferred_keys,
        });
        return { json: removed, text };
      }),
    );
}
