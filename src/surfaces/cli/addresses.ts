/** `hostplane admin addresses`: who had a public address, and the traffic that is dropped. */
import type { Command } from 'commander';
import {
  endNullRoute,
  listNullRouted,
  type NullRouted,
  nullRoute,
} from '../../portal-api/addresses/null-route.ts';
import { type Holding, whoHeld } from '../../portal-api/addresses/who.ts';
import { portalOriginOf } from '../../provider/portal-address.ts';
import type { Cli, Output } from './command.ts';
import { readTime } from './options.ts';
import { facts, table } from './table.ts';

const MOST_SHOWN = 200;

const row = (holding: Holding) => ({
  block: holding.block,
  account: `${holding.account_name ?? '(deleted)'} (${holding.account_id})`,
  on: holding.holder_name ?? holding.holder_id,
  kind: holding.kind,
  from: holding.held_from,
  until: holding.held_until,
  address: holding.address_id,
});

function shown({ address, isByEngine }: NullRouted): Output {
  const { block, account_id: account, vm_id, gateway_id, routing } = address;
  const text = facts({
    block,
    account,
    on: vm_id ?? gateway_id,
    traffic: routing === 'normal' ? 'passes' : 'is dropped',
    until: address.null_route_until,
    reason: address.null_route_reason,
    done: isByEngine ? 'by the engine of the machine' : 'not by an engine: set it in your router, too',
  });
  return { json: address, text };
}

export function addAddresses(program: Command, cli: Cli): void {
  const addresses = program
    .command('addresses')
    .description('public addresses: who had one, and the traffic that is dropped');

  addresses
    .command('who')
    .description('the accounts and machines that had an address, the newest first')
    .argument('<address>', 'such as 203.0.113.7, or any address in a prefix')
    .option('--at <time>', 'only who had it at this time, such as 2026-03-01T10:00:00Z')
    .action(
      cli.atDesk<{ at?: string }>(async ({ db }, { at }, args) => {
        const found = await whoHeld(db, args[0] ?? '', at === undefined ? null : readTime(at));
        const nobody = at === undefined ? 'Nobody had this address in the last year.' : 'Nobody had it then.';
        return { json: found, text: table(found.map(row), nobody) };
      }),
    );

  addresses
    .command('null-route')
    .description('drop all traffic to the address or block that contains it, and tell the customer')
    .argument('<address>', 'such as 203.0.113.7')
    .requiredOption('--until <time>', 'when the traffic comes back by itself, such as 2026-03-01T10:00:00Z')
    .requiredOption('--reason <text>', 'the customer reads it')
    .action(
      cli.atDesk<{ until: string; reason: string }>(async (desk, { until, reason }, args) => {
        const address = args[0] ?? '';
        await desk.confirm(`This cuts ${address} off from the Internet, and tells the customer.`);
        const wanted = { address, until: readTime(until), reason };
        return shown(await nullRoute({ ...desk, origin: portalOriginOf(desk.config) }, wanted));
      }),
    );

  addresses
    .command('end-null-route')
    .description('let the traffic to an address through again')
    .argument('<address>', 'such as 203.0.113.7')
    .action(
      cli.atDesk(async (desk, _, args) =>
        shown(await endNullRoute({ ...desk, origin: portalOriginOf(desk.config) }, args[0] ?? '')),
      ),
    );

  addresses
    .command('null-routed')
    .description('the addresses whose traffic is dropped now')
    .action(
      cli.atDesk(async ({ db }) => {
        const found = await listNullRouted(db, MOST_SHOWN);
        const rows = found.map(({ block, account_id: account, null_route_until, null_route_reason }) => ({
          block,
          account,
          until: null_route_until,
          reason: null_route_reason,
        }));
        return { json: found, text: table(rows, 'No traffic is dropped.') };
      }),
    );
}
