import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../../data/account-types.ts';
import { indexQuery } from '../../data/queries.ts';
import { formatTime, spoken } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Ago } from '../../ui/time.tsx';
import type { Tone } from '../../ui/tone.ts';
import { unturned } from '../../ui/unturned.ts';
import { ResourceLink } from '../resource-link.tsx';

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  accepted: 'info',
  rejected: 'warn',
  failed: 'bad',
};

/** `setKeyPolicy` as "Set key policy". */
const split = (action: string): string =>
  spoken(action.replaceAll(/([a-z\d])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`));

function useTitle(action: string): string {
  const families = useQuery(indexQuery).data?.families ?? [];
  for (const { resources } of families)
    for (const { operations } of resources) {
      const found = operations.find(({ id }) => id === action);
      if (found !== undefined) return found.summary;
    }
  return split(action);
}

const sources: Readonly<Record<string, string>> = {
  api: 'by the API',
  mcp: 'by an assistant',
  portal: 'in the portal',
  system: 'by Hostplane or the provider',
};

/** One line, which opens to all that is known about it. */
export function Entry({ entry }: { entry: AuditEntry }) {
  const title = useTitle(entry.action);
  return (
    <li>
      <details className="group">
        <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-canvas md:px-5">
          <Icon name="right" className="text-faint transition-transform group-open:rotate-90" />
          <span className="min-w-0 flex-1 basis-[220px]">
            <span className="block font-medium">{title}</span>
            <span className="block text-sm text-muted wrap-anywhere">
              {entry.actor.name}
              {entry.resource &&
                `, ${spoken(entry.resource.type)} ${entry.resource.name || (entry.resource.id ?? '')}`}
            </span>
          </span>
          <Badge tone={tones[entry.outcome] ?? 'plain'}>{entry.outcome}</Badge>
          <span className="text-sm text-muted md:w-[110px] md:text-right">
            <Ago time={entry.occurred_at} />
          </span>
        </summary>
        <div className="border-t border-line bg-canvas px-4 py-4 md:pr-5 md:pl-[52px]">
          <Details entry={entry} />
        </div>
      </details>
    </li>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const { changes, actor, resource } = entry;
  const refusal = [entry.http_status, entry.problem_code].filter((each) => each !== null).join(' ');
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['When', formatTime(entry.occurred_at)],
    ['Who', `${actor.name} (${spoken(actor.kind).toLowerCase()}), ${sources[entry.source] ?? entry.source}`],
    ['Operation', <code key="action">{entry.action}</code>],
    ['Resource', resource && <ResourceLink key="resource" resource={resource} />],
    ['Answer', refusal === '' ? null : refusal],
    ['From', entry.client_ip && <code key="ip">{entry.client_ip}</code>],
    ['Program', entry.user_agent],
    [
      'Its work',
      entry.operation_id && (
        <Link
          key="op"
          to="/operations/$id"
          params={{ id: entry.operation_id }}
          className="link wrap-anywhere"
        >
          {entry.operation_id}
        </Link>
      ),
    ],
    [
      'Approval',
      entry.approval_operation_id && (
        <Link
          key="approval"
          to="/approvals/$id"
          params={{ id: entry.approval_operation_id }}
          className="link wrap-anywhere"
        >
          {entry.approval_operation_id}
        </Link>
      ),
    ],
    ['Request', entry.request_id && <code key="request">{entry.request_id}</code>],
    ['Hash', <code key="hash">{entry.hash}</code>],
  ];
  return (
    <div className="grid gap-4">
      {changes.length > 0 && <Changes changes={changes} />}
      <dl className="grid gap-x-6 gap-y-1.5 text-sm sm:grid-cols-[110px_minmax(0,1fr)]">
        {facts.map(([name, value]) =>
          value === null || value === undefined || value === '' ? null : (
            <div key={name} className="contents">
              <dt className="text-muted max-sm:mt-1.5">{name}</dt>
              <dd className="min-w-0 wrap-anywhere">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}

const said = (value: unknown): string =>
  value === null || value === undefined
    ? 'nothing'
    : typeof value === 'string'
      ? value === ''
        ? '(empty)'
        : unturned(value)
      : unturned(JSON.stringify(value, null, 1));

/** What was and what is, side by side; on phones below each other. */
const Changes = ({ changes }: { changes: AuditEntry['changes'] }) => (
  <ul aria-label="Changes" className="overflow-hidden rounded-md border border-line bg-surface text-sm">
    {changes.map(({ pointer, before, after }) => (
      <li
        key={pointer}
        className="grid gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-0 md:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_minmax(0,2fr)]"
      >
        <span className="font-medium wrap-anywhere">{pointer === '' ? 'All of it' : pointer.slice(1)}</span>
        <span className="min-w-0 whitespace-pre-wrap wrap-anywhere text-bad">
          <span className="text-muted">before </span>
          {said(before)}
        </span>
        <span className="min-w-0 whitespace-pre-wrap wrap-anywhere text-good">
          <span className="text-muted">after </span>
          {said(after)}
        </span>
      </li>
    ))}
  </ul>
);
