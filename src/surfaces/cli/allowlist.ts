import type { Command } from 'commander';
import { type AllowlistMode, allowlistModes } from '../../kernel/access/tables.ts';
import { addAllowlistEntry, removeAllowlistEntry } from '../../portal-api/allowlist/entries.ts';
import { setAllowlistMode } from '../../portal-api/allowlist/mode.ts';
import { previewEnforce, showAllowlist } from '../../portal-api/allowlist/view.ts';
import { chooseAccount, chooseEntry } from './choice.ts';
import type { Cli, Desk } from './command.ts';
import { choice, given } from './options.ts';
import { facts, table } from './table.ts';

type Allowlist = Awaited<ReturnType<typeof showAllowlist>>;

function describe({ mode, mode_changed, version, entries }: Allowlist): string {
  const rows = entries.map(({ id, cidr, note, expires_at, live, last_matched_at }) => ({
    id,
    range: cidr,
    note,
    expires: live ? expires_at : 'expired',
    'last matched': last_matched_at,
  }));
  const changed = mode_changed && `${mode_changed.at.toISOString()} by ${mode_changed.by}`;
  return `${facts({ mode, 'mode changed': changed, version })}\n${table(rows, 'There are no entries.')}`;
}

/**
 * Lists the callers that `enforce` would refuse. The operator must type their number, so must read the list first.
 */
async function confirmEnforce(desk: Desk, cli: Cli, accountId: string): Promise<number | undefined> {
  const { would_deny, warnings } = await previewEnforce(desk.db, accountId);
  const rows = would_deny.map(({ key_id, key_name, client_ip, count, last_at }) => ({
    key: key_id,
    name: key_name,
    address: client_ip,
    calls: count,
    last: last_at,
  }));
  cli.io.error('Callers of the last 30 days that Enforce would refuse:\n\n');
  cli.io.error(`${table(rows, 'No such caller was seen.')}\n`);
  for (const { detail } of warnings) cli.io.error(`Note: ${detail}\n`);
  if (desk.options.yes) return undefined;
  const count = would_deny.length;
  await desk.confirm(
    'From now on only addresses on the list may call. How many of the callers above will be refused?',
    `${count}`,
  );
  return count;
}

export function addAllowlist(program: Command, cli: Cli): void {
  const allowlist = program
    .command('allowlist')
    .description('from which addresses the keys of an account may be used');

  allowlist
    .command('show')
    .description('the mode and all entries')
    .action(
      cli.atDesk(async (desk) => {
        const list = await showAllowlist(desk.db, (await chooseAccount(desk)).id);
        return { json: list, text: describe(list) };
      }),
    );

  allowlist
    .command('mode')
    .description(
      'off: not checked · report_only: other addresses are recorded · enforce: other addresses are refused',
    )
    .addArgument(choice('<mode>', allowlistModes))
    .action(
      cli.atDesk(async (desk, _, args) => {
        const mode = args[0] as AllowlistMode;
        const { id } = await chooseAccount(desk);
        const { mode: present, entries } = await showAllowlist(desk.db, id);
        // Without a live entry `setAllowlistMode` refuses the change anyway, so no confirmation is needed.
        const asks = mode === 'enforce' && present !== mode && entries.some(({ live }) => live);
        const confirm = asks ? await confirmEnforce(desk, cli, id) : undefined;
        const list = await setAllowlistMode(desk.db, desk.actor, {
          account_id: id,
          mode,
          ...given({ confirm }),
        });
        return { json: list, text: describe(list) };
      }),
    );

  allowlist
    .command('add')
    .description('allow an address or range')
    .argument('<range>', 'such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48')
    .option('--note <text>', 'who uses the address, up to 100 characters')
    .option('--expires-at <time>', 'such as 2030-01-31T18:00:00Z')
    .action(
      cli.atDesk<{ note?: string; expiresAt?: string }>(async (desk, { note, expiresAt }, args) => {
        const { id } = await chooseAccount(desk);
        const input = { account_id: id, cidr: args[0] ?? '', ...given({ note, expires_at: expiresAt }) };
        const added = await addAllowlistEntry(desk.db, desk.actor, input, desk.config.catalogue);
        const { entry, warnings } = added;
        const text = facts({ id: entry.id, range: entry.cidr, note: entry.note, expires: entry.expires_at });
        return { json: added, text, warnings };
      }),
    );

  allowlist
    .command('remove')
    .description('remove an entry from the list')
    .argument('<entry>', 'its id or its range')
    .action(
      cli.atDesk(async (desk, _, args) => {
        const { id } = await chooseAccount(desk);
        const entry = await chooseEntry(desk, id, args[0] ?? '');
        await desk.confirm(`If the list is enforced, ${entry.cidr} is refused from now on.`);
        const removed = await removeAllowlistEntry(desk.db, desk.actor, {
          account_id: id,
          entry_id: entry.id,
        });
        return { json: removed, text: facts({ removed: removed.cidr, id: removed.id }) };
      }),
    );
}
