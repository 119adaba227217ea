import type { Command } from 'commander';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import {
  type OperationLine,
  readOperations,
  showOperation,
  stopOperation,
} from '../../portal-api/operations/operations.ts';
import { chooseAccount } from './choice.ts';
import type { Cli, Output } from './command.ts';
import { facts, table } from './table.ts';

const MOST_SHOWN = 200;

const row = (operation: OperationLine) => ({
  id: operation.id,
  type: operation.type,
  on: operation.resource_name ?? operation.resource_id ?? operation.resource_type,
  status: operation.status,
  step: operation.step,
  'waiting for': operation.waiting_for,
  tries: operation.tries,
  since: operation.created_at,
  error: (operation.error ?? operation.last_error)?.code,
});

function shown(operation: StoredOperation): Output {
  const { id, type, status, step, waiting_for, tries, account_id, resource_type, resource_id } = operation;
  const error = operation.error ?? operation.last_error;
  const view = {
    id,
    type,
    status,
    step,
    account: account_id,
    resource: `${resource_type} ${resource_id ?? ''}`.trim(),
    waiting_for,
    tries,
    error: error === null ? null : `${error.code}: ${error.detail}`,
    created: operation.created_at,
    started: operation.started_at,
    next_look: operation.finished_at === null ? operation.run_at : null,
    held_by: operation.lease_owner,
    held_until: operation.lease_until,
    deadline: operation.deadline_at,
    finished: operation.finished_at,
  };
  return { json: view, text: facts(view) };
}

export function addOperations(program: Command, cli: Cli): void {
  const operations = program
    .command('operations')
    .description('long-running work: what runs, what waits, what failed');

  operations
    .command('list')
    .description('unfinished operations, the newest first; of all accounts unless --account names one')
    .option('--all', 'also finished operations')
    .action(
      cli.atDesk<{ all?: true }>(async (desk, { all }) => {
        const account = desk.options.account === undefined ? undefined : await chooseAccount(desk);
        const found = await readOperations(desk.db, {
          limit: MOST_SHOWN,
          all: all ?? false,
          ...(account === undefined ? {} : { accountId: account.id }),
        });
        return { json: found, text: table(found.map(row), 'No operation is under way.') };
      }),
    );

  operations
    .command('show')
    .description('one operation: its step, its error, the worker that holds it and when it runs next')
    .argument('<operation>', 'its id')
    .action(cli.atDesk(async (desk, _, [id = '']) => shown(await showOperation(desk.db, id))));

  operations
    .command('cancel')
    .description('cancel an operation that can still be cancelled')
    .argument('<operation>', 'its id')
    .action(
      cli.atDesk(async (desk, _, [id = '']) => {
        const { type, resource_name, resource_id } = await showOperation(desk.db, id);
        await desk.confirm(`This stops ${type} of ${resource_name ?? resource_id ?? 'its account'}.`);
        return shown(await stopOperation(desk.db, desk.registry, desk.actor, id));
      }),
    );
}
