import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../data/product.ts';
import { pageQuery } from '../data/product.ts';
import { useAccount } from '../data/session.ts';
import { spoken } from '../data/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { unturned } from '../ui/unturned.ts';

interface Entry {
  readonly id: string;
  readonly occurred_at: string;
  readonly actor: { readonly kind: string; readonly name: string };
  readonly source: string;
  readonly action: string;
  readonly outcome: string;
  readonly problem_code: string | null;
  readonly changes: readonly {
    readonly pointer: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

const said = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? 'nothing'
    : typeof value === 'object'
      ? unturned(JSON.stringify(value))
      : unturned(String(value));

/** Who changed the resource, from the audit log of the account. */
export function Activity({ id }: { id: string }) {
  const account = useAccount();
  const query = useQuery(
    pageQuery(account, 'audit_entry', '/account/v1/audit-log', { resource_id: id, limit: '50' }),
  );
  return (
    <Loaded query={query} rows={4}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="Nothing has been done with it yet">
            Every change by a person, a key or the provider will stand here.
          </Empty>
        ) : (
          <ol className="card divide-y divide-line">
            {(data as readonly (Resource & Entry)[]).map((entry) => (
              <li key={entry.id} className="grid gap-1 px-4 py-3 md:px-5">
                <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
                  <span className="font-medium">
                    {spoken(entry.action.replaceAll(/([A-Z])/g, ' $1').toLowerCase())}
                  </span>
                  {entry.outcome !== 'succeeded' && entry.outcome !== 'accepted' && (
                    <Badge tone="bad">{spoken(entry.problem_code ?? entry.outcome)}</Badge>
                  )}
                  <span className="min-w-0 text-sm wrap-anywhere text-muted">
                    {entry.actor.name} · {entry.source} · <Ago time={entry.occurred_at} />
                  </span>
                </p>
                {entry.changes.slice(0, 8).map(({ pointer, before, after }) => (
                  <p key={pointer} className="text-sm wrap-anywhere text-muted">
                    {spoken(pointer.slice(1).replaceAll('/', ' '))}: {said(before)} → {said(after)}
                  </p>
                ))}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
