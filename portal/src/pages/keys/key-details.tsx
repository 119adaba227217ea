import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../../data/http.ts';
import { keyQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import type { ApiKey, KeyOptions } from '../../data/types.ts';
import { formatTime } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { unturned } from '../../ui/unturned.ts';
import { approvalWords, permissionWords, statusTone } from './words.ts';

export function KeyDetails({
  id,
  options,
  close,
}: {
  id: string;
  options: KeyOptions | undefined;
  close: () => void;
}) {
  const query = useQuery(keyQuery(useAccount(), id));
  if (query.data !== undefined) return <Details keyOf={query.data} options={options} close={close} />;
  const isGone = query.error instanceof Problem && query.error.status === 404;
  return (
    <Dialog title={isGone ? 'No such key' : 'The key'} close={close}>
      {isGone ? (
        <Notice tone="warn">This account has no such key.</Notice>
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </Dialog>
  );
}

function Details({
  keyOf,
  options,
  close,
}: {
  keyOf: ApiKey;
  options: KeyOptions | undefined;
  close: () => void;
}) {
  const { last_used, last_rejected, revoked, expires_at, permissions } = keyOf;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      'Status',
      <Badge key="status" tone={statusTone(keyOf.status)}>
        {keyOf.status}
      </Badge>,
    ],
    ['Public part', <code key="public">hpk1_{keyOf.public_id}…</code>],
    ['Owner', keyOf.owner.name],
    ['Permissions', permissionWords(keyOf, options)],
    ['Approval mode', approvalWords[keyOf.approval]?.[0] ?? keyOf.approval],
    ['Created', <Ago key="created" time={keyOf.created_at} />],
    ['Expires', expires_at === null ? 'Never' : formatTime(expires_at)],
    [
      'Last used',
      last_used === null ? (
        'Never'
      ) : (
        <>
          <Ago time={last_used.at} />: <code>{last_used.operation_id ?? 'call'}</code> from {last_used.ip}
          {last_used.user_agent && (
            <span className="block text-sm break-all text-muted">{last_used.user_agent}</span>
          )}
        </>
      ),
    ],
    [
      'Last refused',
      last_rejected === null ? (
        'Never'
      ) : (
        <>
          <Ago time={last_rejected.at} />: <code>{last_rejected.code}</code> from {last_rejected.ip}
        </>
      ),
    ],
    ...(revoked === null
      ? []
      : [
          [
            'Revoked',
            <>
              {formatTime(revoked.at)} by {revoked.by}
              {revoked.reason && `: ${revoked.reason}`}
              {revoked.comment && (
                <span className="block text-sm break-words text-muted">{unturned(revoked.comment)}</span>
              )}
            </>,
          ] as const,
        ]),
    ...(keyOf.notes === '' ? [] : [['Notes', keyOf.notes] as const]),
  ];
  return (
    <Dialog wide title={keyOf.name} close={close}>
      {keyOf.exposed_at && (
        <Notice tone="bad">
          This key was found in a public place {formatTime(keyOf.exposed_at)}. Roll or revoke it now.
        </Notice>
      )}
      <dl className="grid gap-x-6 gap-y-2.5 sm:grid-cols-[130px_minmax(0,1fr)]">
        {facts.map(([title, value]) => (
          <div key={title} className="contents">
            <dt className="text-muted max-sm:-mb-2 max-sm:text-sm">{title}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
      <div>
        <h3 className="mb-2 text-sm">What it may do</h3>
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label="What it may do"
          className="grid max-h-[240px] gap-x-6 overflow-y-auto rounded-md border border-line bg-sunken px-3.5 py-2.5 sm:grid-cols-2"
        >
          {permissions.map((permission) => (
            <li key={permission}>
              <code className="break-all">{permission}</code>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
