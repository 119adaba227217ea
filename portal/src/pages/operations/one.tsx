import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useWhyNot } from '../../data/access.ts';
import {
  keyNamesQuery,
  operationKindsQuery,
  operationOfQuery,
  partsQuery,
} from '../../data/account-queries.ts';
import type { OperationKind } from '../../data/account-types.ts';
import { membersQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import type { Account, Operation } from '../../data/types.ts';
import { formatTime } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { ResourceLink } from '../resource-link.tsx';
import { Again } from './again.tsx';
import { CancelOperation } from './cancel.tsx';
import { OperationRows } from './operation-rows.tsx';
import { Steps } from './steps.tsx';
import { useTitle } from './title.ts';
import { hasEnded, noteOf, toneOf } from './words.ts';

export default function OperationPage() {
  const { id = '' } = useParams({ strict: false });
  const account = useAccount();
  const query = useQuery(operationOfQuery(account, id));
  const kinds = useQuery(operationKindsQuery);
  return (
    <div className="max-w-[860px]">
      <Link
        to="/operations"
        className="mb-4 inline-flex min-h-8 items-center gap-1.5 rounded text-sm text-muted hover:text-ink"
      >
        <Icon name="right" className="rotate-180" />
        Operations
      </Link>
      {query.data === undefined && <PageHead title="Operation" />}
      <Loaded query={query} rows={5}>
        {(operation) => (
          <Shown
            account={account}
            operation={operation}
            kind={kinds.data?.data.find(({ type }) => type === operation.type)}
          />
        )}
      </Loaded>
    </div>
  );
}

function Shown({
  account,
  operation,
  kind,
}: {
  account: Account;
  operation: Operation;
  kind: OperationKind | undefined;
}) {
  const [cancelling, setCancelling] = useState(false);
  const { status, started_at, finished_at } = operation;
  const whyNot = useWhyNot();
  const isOver = hasEnded(operation);
  const why = isOver
    ? 'It has ended.'
    : status === 'cancelling'
      ? 'It is being cancelled.'
      : operation.cancellable
        ? whyNot('cancelOperation')
        : 'It has come too far to be cancelled.';
  return (
    <>
      <PageHead
        title={useTitle(operation)}
        act={
          isOver ? (
            status === 'failed' && <Again operation={operation} kind={kind} />
          ) : (
            <Button why={why} onClick={() => setCancelling(true)}>
              Cancel it
            </Button>
          )
        }
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone={toneOf(status)}>{status}</Badge>
          <span>{operation.error === null ? noteOf(operation) : ''}</span>
        </span>
      </PageHead>
      {!isOver && (
        <div className="mb-6">
          <Progress label="Progress" percent={started_at === null ? 0 : operation.progress_percent} />
          {why && <p className="mt-2 text-sm text-muted">{why}</p>}
        </div>
      )}
      {operation.error !== null && <Failure error={operation.error} kind={kind} operation={operation} />}
      <Section title="Steps">
        <Steps operation={operation} kind={kind} />
      </Section>
      {operation.children !== null && <Parts account={account} operation={operation} />}
      <Section title="About it">
        <Facts>
          <Fact title="Works on">
            <ResourceLink resource={operation.resource} />
          </Fact>
          <Fact title="Asked for">{formatTime(operation.created_at)}</Fact>
          {finished_at && <Fact title="Ended">{formatTime(finished_at)}</Fact>}
          {!isOver && <Fact title="Fails if not done by">{formatTime(operation.deadline_at)}</Fact>}
          <Fact title="Started by">
            <StartedBy account={account} operation={operation} />
          </Fact>
          {operation.parent_id && (
            <Fact title="Part of">
              <Link to="/operations/$id" params={{ id: operation.parent_id }} className="link">
                <code className="wrap-anywhere">{operation.parent_id}</code>
              </Link>
            </Fact>
          )}
          {operation.warnings.length > 0 && (
            <Fact title="Warnings">
              <ul className="grid gap-1">
                {operation.warnings.map(({ code, detail }) => (
                  <li key={code}>{detail}</li>
                ))}
              </ul>
            </Fact>
          )}
          {operation.request_id && (
            <Fact title="Request">
              <Id>{operation.request_id}</Id>
            </Fact>
          )}
          <Fact title="Operation">
            <Id>{operation.id}</Id>
          </Fact>
        </Facts>
      </Section>
      {cancelling && (
        <CancelOperation account={account} operation={operation} close={() => setCancelling(false)} />
      )}
    </>
  );
}

const Id = ({ children }: { children: string }) => (
  <span className="flex min-w-0 flex-wrap items-center gap-x-2">
    <code className="min-w-0 wrap-anywhere">{children}</code>
    <Copy text={children} />
  </span>
);

/** The words of the failure, what to do about it, and the way to do it. */
function Failure({
  error,
  kind,
  operation,
}: {
  error: NonNullable<Operation['error']>;
  kind: OperationKind | undefined;
  operation: Operation;
}) {
  const [call] = kind?.calls ?? [];
  return (
    <div className="mb-6">
      <Notice tone="bad">
        <p className="font-medium">It failed: {error.code.replaceAll('_', ' ')}</p>
        <p>{error.detail}</p>
        <p className="mt-1">
          {error.retryable
            ? 'The same call may succeed if it is made again. Look at the resource first: what failed may still be there.'
            : 'The same call would fail again. Change what it asks for, or ask support and name the operation below.'}
        </p>
        <p className="mt-2 flex flex-wrap gap-2">
          {call !== undefined && (
            <Link
              to="/api/explorer/$operation"
              params={{ operation: call }}
              className="btn btn-plain btn-small"
            >
              Open the call in the Explorer
            </Link>
          )}
          {operation.resource.id !== null && (
            <Link
              to="/audit"
              search={{ resource: operation.resource.id }}
              className="btn btn-plain btn-small"
            >
              What happened to the resource
            </Link>
          )}
        </p>
      </Notice>
    </div>
  );
}

function Parts({ account, operation }: { account: Account; operation: Operation }) {
  const query = useQuery(partsQuery(account, operation.id));
  const { total = 0, succeeded = 0, failed = 0 } = operation.children ?? {};
  return (
    <Section
      title="Parts"
      note={`${succeeded} of ${total} done${failed > 0 ? `, ${failed} failed or cancelled` : ''}.`}
    >
      <Loaded query={query} rows={3}>
        {({ data }) => <OperationRows label="Parts" operations={data} />}
      </Loaded>
    </Section>
  );
}

function StartedBy({ account, operation: { actor } }: { account: Account; operation: Operation }) {
  const { api_key_id: keyId, member_id: memberId } = actor;
  const members = useQuery({ ...membersQuery(account), enabled: memberId !== null }).data?.data;
  const keys = useQuery({ ...keyNamesQuery(account), enabled: keyId !== null }).data?.data;
  const member = members?.find(({ id }) => id === memberId)?.name;
  if (keyId === null)
    return (
      member ??
      (memberId === null ? (actor.kind === 'system' ? 'Hostplane itself' : 'Your provider') : memberId)
    );
  return (
    <>
      The key{' '}
      <Link to="/api/keys" search={{ key: keyId }} className="link wrap-anywhere">
        {keys?.find(({ id }) => id === keyId)?.name ?? keyId}
      </Link>
      {member && ` of ${member}`}
    </>
  );
}
