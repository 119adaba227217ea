import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem, post } from '../../data/http.ts';
import { approvalQuery } from '../../data/queries.ts';
import { ADMINS_ONLY, acts, chooseAccount, isAdmin, maySee, useAccount, useMe } from '../../data/session.ts';
import type { Account, Approval, Effect } from '../../data/types.ts';
import { formatTime, spoken } from '../../data/words.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeList } from '../../ui/change-list.tsx';
import { Code } from '../../ui/code.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { Path } from '../../ui/path.tsx';
import { Loaded, PageHead, Skeleton } from '../../ui/states.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useAct } from '../../ui/use-act.ts';

export default function ApprovalPage() {
  const { id = '' } = useParams({ strict: false });
  const account = useAccount();
  const query = useQuery(approvalQuery(account, id));
  const isElsewhere = useOtherAccount(account, id, query.error);
  return (
    <div className="max-w-[720px]">
      <Link
        to="/approvals"
        className="mb-4 inline-flex min-h-8 items-center gap-1.5 rounded text-sm text-muted hover:text-ink"
      >
        <Icon name="right" className="rotate-180" />
        Approvals
      </Link>
      {query.data === undefined && <PageHead title="Approval" />}
      {isElsewhere ? (
        <Skeleton rows={4} />
      ) : (
        <Loaded query={query} rows={4}>
          {(approval) => <Shown approval={approval} account={account} />}
        </Loaded>
      )}
    </div>
  );
}

/** `approve_url` names no account: if the chosen one has no such call, the one that has it is chosen. */
function useOtherAccount(account: Account, id: string, error: unknown): boolean {
  const others = (useMe()?.accounts ?? []).filter((each) => each.id !== account.id && maySee(each));
  const isMissing = error instanceof Problem && error.status === 404;
  const search = useQuery({
    queryKey: ['account-of', id],
    queryFn: async ({ client }) => {
      for (const other of others) {
        const found = await client.fetchQuery(approvalQuery(other, id)).catch(() => null);
        if (found !== null) return other;
      }
      return null;
    },
    enabled: isMissing && others.length > 0,
  });
  const found = isMissing ? (search.data ?? null) : null;
  useEffect(() => {
    if (found === null) return;
    chooseAccount(found.id);
    toast(`You work for ${found.name} now.`);
  }, [found]);
  return isMissing && (search.isLoading || found !== null);
}

function Shown({ approval, account }: { approval: Approval; account: Account }) {
  const { call, key } = approval;
  const hasBody = call.body !== null && call.body !== undefined;
  const query = queryText(call.query);
  return (
    <>
      <PageHead title={call.summary ?? call.operation_id}>
        Asked by the key {key.name ?? key.id}
        {key.owner && ` of ${key.owner}`}, <Ago time={approval.requested_at} />.
      </PageHead>
      <State approval={approval} />
      <div className="card mb-4 divide-y divide-line">
        <Fact title="Call">
          <span className="flex min-w-0 items-baseline">
            <Method>{call.method}</Method>
            <Path>{call.path + query}</Path>
          </span>
        </Fact>
        {approval.changes !== null && approval.changes.length > 0 && (
          <Fact title="Changes">
            <section aria-label="Changes">
              <ChangeList changes={approval.changes} />
            </section>
          </Fact>
        )}
        <Fact title="Effects">
          <Effects effects={approval.effects} />
        </Fact>
        <Fact title="Cost">{costWords(approval.cost)}</Fact>
      </div>
      {hasBody && (
        <div className="mb-4">
          <Code title="Exactly this body" text={JSON.stringify(call.body, null, 2)} />
        </div>
      )}
      <Decide approval={approval} account={account} />
    </>
  );
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[110px_minmax(0,1fr)] md:px-5">
    <div className="text-sm text-muted">{title}</div>
    <div className="min-w-0">{children}</div>
  </div>
);

function queryText(query: unknown): string {
  if (typeof query === 'string') return query === '' ? '' : `?${query.replace(/^\?/, '')}`;
  if (query === null || typeof query !== 'object') return '';
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function costWords(cost: Approval['cost']): string {
  const monthly = Number(cost.monthly);
  if (monthly === 0) return 'The bill stays as it is.';
  const amount = `${cost.currency} ${Math.abs(monthly).toFixed(2)}`;
  return monthly > 0 ? `Raises the bill by ${amount} a month.` : `Lowers the bill by ${amount} a month.`;
}

const toneOf = ({ action, loss }: Effect): Tone =>
  loss !== null ? 'bad' : action === 'create' ? 'good' : 'info';

function Effects({ effects }: { effects: readonly Effect[] }) {
  if (effects.length === 0) return <span className="text-muted">The call reports none.</span>;
  return (
    <ul className="grid gap-2">
      {effects.map((effect) => (
        <li key={`${effect.action} ${effect.type} ${effect.id} ${effect.name}`}>
          <span className="flex flex-wrap items-center gap-2">
            <Badge tone={toneOf(effect)}>{effect.action.replaceAll('_', ' ')}</Badge>
            <span>
              {spoken(effect.type)} <strong className="font-medium">{effect.name ?? effect.id}</strong>
            </span>
          </span>
          {effect.loss && (
            <span className={`mt-0.5 block text-sm ${effect.loss.recoverable ? 'text-warn' : 'text-bad'}`}>
              {effect.loss.recoverable ? 'For now you lose: ' : 'Lost for good: '}
              {effect.loss.what}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function State({ approval }: { approval: Approval }) {
  const now = useNow();
  const { decision, decided_by, decided_at, told, usable_until, used_at, expires_at, status } = approval;
  if (decision === 'approved')
    return (
      <Told tone="good">
        Approved by {decided_by}
        {decided_at && ` ${formatTime(decided_at)}`}.{' '}
        {used_at
          ? `The key made the call ${formatTime(used_at)}.`
          : usable_until && `The key can make the call once, until ${formatTime(usable_until)}.`}
      </Told>
    );
  if (decision === 'denied')
    return (
      <Told tone="warn">
        Denied by {decided_by}
        {decided_at && ` ${formatTime(decided_at)}`}.{told !== null && ` The key was told: ${told}`}
      </Told>
    );
  if (status === 'cancelled') return <Told tone="warn">The key withdrew its question.</Told>;
  if (Date.parse(expires_at) < now || status === 'failed')
    return <Told tone="warn">Nobody decided in time. The key has to ask again.</Told>;
  return (
    <p className="mb-4 flex items-center gap-2 text-sm text-muted">
      <Icon name="clock" />
      <span>
        Ends <Ago time={expires_at} />
      </span>
    </p>
  );
}

const Told = ({ tone, children }: { tone: 'good' | 'warn'; children: ReactNode }) => (
  <div className="mb-4">
    <Notice tone={tone}>{children}</Notice>
  </div>
);

function Decide({ approval, account }: { approval: Approval; account: Account }) {
  const client = useQueryClient();
  const now = useNow();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const path = `${acts(account)}/approvals/${approval.operation_id}`;
  const settled = async (text: string): Promise<void> => {
    await client.invalidateQueries({ queryKey: [account.id, 'approvals'] });
    toast(text);
  };
  const approve = useAct(async () => {
    await post(`${path}/approve`);
    await settled('Approved. The key can make the call now.');
  });
  const deny = useAct(async () => {
    await post(`${path}/deny`, reason === '' ? {} : { reason });
    setDenying(false);
    await settled('Denied. The key was told.');
  });
  const isOpen =
    approval.decision === null &&
    ['queued', 'running'].includes(approval.status) &&
    Date.parse(approval.expires_at) > now;
  if (!isOpen) return null;
  const why = isAdmin(account) ? undefined : ADMINS_ONLY;
  return (
    <>
      <ProblemNotice error={approve.error} />
      <div className="sticky bottom-0 -mx-4 mt-2 grid grid-cols-2 gap-3 border-t border-line bg-canvas p-4 md:static md:mx-0 md:flex md:border-0 md:bg-transparent md:p-0">
        <Button why={why} onClick={() => setDenying(true)}>
          Deny
        </Button>
        <Button kind="primary" why={why} busy={approve.busy} onClick={() => void approve.run()}>
          Approve
        </Button>
      </div>
      {why && <p className="mt-2 text-sm text-muted">{why}</p>}
      {denying && (
        <Dialog
          title="Deny the call"
          close={() => setDenying(false)}
          onSubmit={() => void deny.run()}
          foot={
            <>
              <Cancel />
              <Button kind="danger" type="submit" busy={deny.busy}>
                Deny
              </Button>
            </>
          }
        >
          <ProblemNotice error={deny.error} />
          <TextField
            label="Reason"
            optional
            hint="The key gets to read it: an agent can do better next time."
            autoFocus
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Dialog>
      )}
    </>
  );
}
