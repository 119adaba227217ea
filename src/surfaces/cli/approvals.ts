import type { Command } from 'commander';
import { approveRequest, denyRequest } from '../../portal-api/approvals/decision.ts';
import { type ApprovalSummary, listPendingApprovals, showApproval } from '../../portal-api/approvals/view.ts';
import { chooseAccount } from './choice.ts';
import type { Cli, Desk, Output } from './command.ts';
import { given } from './options.ts';
import { facts, table } from './table.ts';

function urlOf({ path, query }: ApprovalSummary): string {
  const parts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return parts.length === 0 ? path : `${path}?${new URLSearchParams(parts)}`;
}

function standing({ decision, status, error, used_at }: ApprovalSummary): string {
  if (used_at !== null) return 'approved and used';
  if (decision === 'denied') return error?.detail ?? 'denied';
  if (decision === 'approved') return 'approved, not used yet';
  return status === 'running' ? 'waiting for a decision' : `${status}, undecided`;
}

/** Like a dry run of the customers' command line. */
const sentenceOf = ({ text, loosens }: NonNullable<ApprovalSummary['changes']>[number]): string =>
  loosens ? `Loosens: ${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const named = ({ type, name, id }: { type: string; name: string | null; id: string | null }): string =>
  [type, name, id].filter((part) => part !== null).join(' ');

/** `wipe_disk vm web-1 vm_…. Lost for good: All data on the disk (40 GB).` */
function lineOf({ action, loss, ...resource }: ApprovalSummary['effects'][number]): string {
  const done = `${action} ${named(resource)}.`;
  return loss == null ? done : `${done} Lost${loss.recoverable ? '' : ' for good'}: ${loss.what}`;
}

function describe(approval: ApprovalSummary): string {
  const { effects, changes, cost, body } = approval;
  return facts({
    id: approval.operation_id,
    status: standing(approval),
    'asked by': `key ${approval.key_name ?? approval.key_id} of ${approval.key_owner ?? 'nobody'}`,
    call: `${approval.method} ${urlOf(approval)}`,
    endpoint: approval.endpoint_id,
    body: body === null ? null : JSON.stringify(body, null, 2).split('\n'),
    'would change': changes?.map(sentenceOf),
    'would do': effects.map(lineOf),
    'would cost': `${cost.monthly} ${cost.currency} a month`,
    requested: approval.requested_at,
    'decide until': approval.expires_at,
    'decided by': approval.decided_by,
    'usable until': approval.usable_until,
  });
}

async function shown(desk: Desk, accountId: string, id: string): Promise<Output> {
  const approval = await showApproval(desk.db, accountId, id);
  return { json: approval, text: describe(approval) };
}

const ID = 'the operation id that the key got as its answer (op_…)';

function addDecisions(approvals: Command, cli: Cli): void {
  approvals
    .command('approve')
    .description('let the key make the call once, within 15 minutes, exactly as it was requested')
    .argument('<id>', ID)
    .action(
      cli.atDesk(async (desk, _, [id = '']) => {
        const account = await chooseAccount(desk);
        const approval = await showApproval(desk.db, account.id, id);
        const doer = approval.key_name ?? approval.key_id;
        const effects = approval.effects.map((effect) => ` It would ${lineOf(effect)}`).join('');
        await desk.confirm(`The key ${doer} may then call ${approval.method} ${urlOf(approval)}.${effects}`);
        const input = { account_id: account.id, operation_id: id };
        await approveRequest(desk.db, desk.actor, input, desk.registry);
        return shown(desk, account.id, id);
      }),
    );

  approvals
    .command('deny')
    .description('refuse the call')
    .argument('<id>', ID)
    .option('--reason <text>', 'shown to the caller of the key; up to 200 characters')
    .action(
      cli.atDesk<{ reason?: string }>(async (desk, { reason }, [id = '']) => {
        const account = await chooseAccount(desk);
        const input = { account_id: account.id, operation_id: id, ...given({ reason }) };
        await denyRequest(desk.db, desk.actor, input, desk.registry);
        return shown(desk, account.id, id);
      }),
    );
}

export function addApprovals(program: Command, cli: Cli): void {
  const approvals = program.command('approvals').description('calls of keys that a person has to approve');

  approvals
    .command('list')
    .description('requests that wait for a decision, the oldest first')
    .action(
      cli.atDesk(async (desk) => {
        const account = await chooseAccount(desk);
        const found = await listPendingApprovals(desk.db, account.id);
        const rows = found.map((approval) => ({
          id: approval.operation_id,
          key: approval.key_name,
          call: `${approval.method} ${urlOf(approval)}`,
          'cost/month': approval.cost.monthly,
          until: approval.expires_at,
        }));
        return { json: found, text: table(rows, 'Nothing waits for approval.') };
      }),
    );

  approvals
    .command('show')
    .description('one request: the call, what it would do and cost, and the decision')
    .argument('<id>', ID)
    .action(cli.atDesk(async (desk, _, [id = '']) => shown(desk, (await chooseAccount(desk)).id, id)));

  addDecisions(approvals, cli);
}
