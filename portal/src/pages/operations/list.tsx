import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { operationKindsQuery, runningQuery } from '../../data/account-queries.ts';
import { pagedQuery } from '../../data/pages.ts';
import { useAccount } from '../../data/session.ts';
import type { Operation } from '../../data/types.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Filters } from '../../ui/filters.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { OperationRows } from './operation-rows.tsx';
import { hasEnded, kindWords } from './words.ts';

const statuses = ['running', 'queued', 'cancelling', 'succeeded', 'failed', 'cancelled'];

export default function Operations() {
  const account = useAccount();
  const { status, type, resource } = useSearch({ strict: false }) as {
    status?: string;
    type?: string;
    resource?: string;
  };
  const kinds = useQuery(operationKindsQuery).data?.data ?? [];
  const navigate = useNavigate();
  const isFiltered = [status, type, resource].some(Boolean);
  const running = useQuery({ ...runningQuery(account), enabled: !isFiltered });
  const query = useInfiniteQuery(
    pagedQuery<Operation>(account, 'operations', '/account/v1/operations', {
      status,
      type,
      resource_id: resource,
    }),
  );
  const choose = (changed: Record<string, string>): void => {
    const next = { status, type, resource, ...changed };
    const search = Object.fromEntries(Object.entries(next).filter(([, value]) => Boolean(value)));
    void navigate({ to: '/operations', search: search as Record<string, string>, replace: true });
  };
  return (
    <>
      <PageHead title="Operations">
        Work that takes longer than a call, by keys and by people. What runs stands at the top; the rest is
        kept for 30 days.
      </PageHead>
      <Filters label="Filter operations">
        <SelectField
          label="Status"
          value={status ?? ''}
          onChange={(event) => choose({ status: event.target.value })}
        >
          <option value="">All</option>
          {statuses.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <SelectField
          label="Kind"
          value={type ?? ''}
          onChange={(event) => choose({ type: event.target.value })}
        >
          <option value="">All</option>
          {kinds.map((kind) => (
            <option key={kind.type} value={kind.type}>
              {kindWords(kind.type)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Resource id"
          placeholder="vm_…"
          autoComplete="off"
          spellCheck={false}
          defaultValue={resource ?? ''}
          key={resource ?? ''}
          onBlur={(event) => choose({ resource: event.target.value.trim() })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') choose({ resource: event.currentTarget.value.trim() });
          }}
        />
      </Filters>
      <Loaded query={query}>
        {({ pages }) => {
          const onTop = isFiltered ? [] : (running.data ?? []);
          const known = new Set(onTop.map(({ id }) => id));
          const rest = pages
            .flatMap(({ data }) => data)
            .filter((each) => !known.has(each.id))
            .filter((each) => type !== undefined || each.type !== 'approval.request')
            .filter((each) => isFiltered || hasEnded(each));
          const shown = [...onTop, ...rest];
          return shown.length === 0 && !query.hasNextPage ? (
            <Nothing isFiltered={isFiltered} clear={() => choose({ status: '', type: '', resource: '' })} />
          ) : (
            <>
              <OperationRows label="Operations" operations={shown} />
              <More query={query} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const Nothing = ({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) =>
  isFiltered ? (
    <Empty
      title="No operation fits"
      act={
        <button type="button" className="btn btn-plain" onClick={clear}>
          Show all
        </button>
      }
    />
  ) : (
    <Empty
      title="Nothing has run yet"
      act={
        <Link to="/api/explorer/$operation" params={{ operation: 'createVm' }} className="btn btn-plain">
          Try a call
        </Link>
      }
    >
      Creating a machine, for example, is an operation: the call answers at once, and you watch the work here.
    </Empty>
  );
