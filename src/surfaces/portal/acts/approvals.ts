import { isForGood } from '../../../kernel/effect.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { approveRequest, denyRequest } from '../../../portal-api/approvals/decision.ts';
import {
  type ApprovalSummary,
  listPendingApprovals,
  showApproval,
} from '../../../portal-api/approvals/view.ts';
import { Line } from '../../../portal-api/input.ts';
import { namesOf } from '../../../portal-api/members/names.ts';
import { act, type MemberCall } from '../act.ts';
import { Approval } from '../answers.ts';
import { Listed, Nothing, whole } from '../shapes.ts';

const PATH = '/accounts/{account_id}/approvals';

const endpointOf = ({ registry }: Services, id: string) =>
  registry.endpoints.find((record) => record.id === id);

function view(services: Services, row: ApprovalSummary, decided_by = row.decided_by) {
  const endpoint = endpointOf(services, row.endpoint_id);
  return {
    operation_id: row.operation_id,
    status: row.status,
    key: { id: row.key_id, name: row.key_name, owner: row.key_owner },
    call: {
      operation_id: row.endpoint_id,
      summary: endpoint?.summary ?? null,
      destructive:
        endpoint?.access === 'destructive' ||
        row.effects.some(isForGood) ||
        row.changes?.some(({ loosens }) => loosens) === true,
      method: row.method,
      path: row.path,
      query: row.query,
      body: row.body,
    },
    effects: row.effects.map(({ loss = null, ...effect }) => ({ ...effect, loss })),
    changes: row.changes,
    cost: row.cost,
    requested_at: row.requested_at,
    expires_at: row.expires_at,
    decision: row.decision,
    decided_by,
    decided_at: row.decided_at,
    told: row.error?.detail ?? null,
    usable_until: row.usable_until,
    used_at: row.used_at,
  };
}

async function show({ services, accountId, params }: MemberCall) {
  const row = await showApproval(services.db, accountId, params['operation_id'] ?? '');
  const nameOf = await namesOf(services.db, accountId, [row.decided_by]);
  return view(services, row, nameOf(row.decided_by));
}

const chosen = ({ accountId, params }: MemberCall) => ({
  account_id: accountId,
  operation_id: params['operation_id'] ?? '',
});

export const approvalActs = [
  act({
    id: 'listApprovals',
    method: 'GET',
    path: PATH,
    summary: 'List the calls that wait for approval',
    input: Nothing,
    answer: Listed(Approval),
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId }) {
      const rows = await listPendingApprovals(services.db, accountId);
      return whole(rows.map((row) => view(services, row)));
    },
  }),
  act({
    id: 'getApproval',
    method: 'GET',
    path: `${PATH}/{operation_id}`,
    summary: 'See a call that waits for approval',
    input: Nothing,
    answer: Approval,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    handle: show,
  }),
  act({
    id: 'approveRequest',
    method: 'POST',
    path: `${PATH}/{operation_id}/approve`,
    summary: 'Approve a call of an API key',
    input: Nothing,
    answer: Approval,
    authority: 'admin',
    reauthentication: async (call) => (await show(call)).call.destructive,
    audit: 'account',
    async handle(call) {
      const { services, actor } = call;
      await approveRequest(services.db, actor, chosen(call), services.registry);
      return show(call);
    },
  }),
  act({
    id: 'denyRequest',
    method: 'POST',
    path: `${PATH}/{operation_id}/deny`,
    summary: 'Deny a call of an API key',
    input: Shape({ reason: Type.Optional(Line(1, 200)) }),
    answer: Approval,
    authority: 'admin',
    reauthentication: false,
    audit: 'account',
    async handle(call, input) {
      const { services, actor } = call;
      await denyRequest(services.db, actor, { ...chosen(call), ...input }, services.registry);
      return show(call);
    },
  }),
];
