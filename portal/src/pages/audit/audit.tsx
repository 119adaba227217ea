import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { keyNamesQuery } from '../../data/account-queries.ts';
import type { AuditEntry } from '../../data/account-types.ts';
import { pagedQuery } from '../../data/pages.ts';
import { indexQuery, membersQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icons.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { useSteady } from '../../ui/use-steady.ts';
import { Entry } from './entry.tsx';
import { ExportCsv } from './export-csv.tsx';
import { VerifyChain } from './verify-chain.tsx';

const PATH = '/account/v1/audit-log';

interface Asked {
  who?: string;
  action?: string;
  resource?: string;
  result?: string;
  from?: string;
  until?: string;
}

const outcomes = ['succeeded', 'accepted', 'rejected', 'failed'];

/** The beginning of a day of the person, as the API wants it. */
const startOf = (day: string | undefined, plusDays = 0): string | undefined => {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + plusDays);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

const filtersOf = ({ who, action, resource, result, from, until }: Asked) => ({
  actor: who,
  action,
  resource_id: resource,
  outcome: result,
  since: startOf(from),
  // The day that is named belongs to what is shown.
  until: startOf(until, 1),
});

export default function Audit() {
  const account = useAccount();
  const asked = useSearch({ strict: false }) as {
    who?: string;
    action?: string;
    resource?: string;
    result?: string;
    from?: string;
    until?: string;
    verify?: string;
  };
  const navigate = useNavigate();
  const filters = filtersOf(asked);
  const query = useInfiniteQuery(pagedQuery<AuditEntry>(account, 'audit', PATH, filters));
  const go = (changed: Record<string, string>): void => {
    const search = Object.fromEntries(
      Object.entries({ ...asked, ...changed }).filter(([, value]) => Boolean(value)),
    ) as Record<string, string>;
    void navigate({ to: '/audit', search, replace: true });
  };
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <PageHead
        title="Audit log"
        act={
          <>
            <ExportCsv account={account} path={PATH} filters={filters} />
            <Button onClick={() => go({ verify: 'yes' })}>
              <Icon name="shield" />
              Verify the chain
            </Button>
          </>
        }
      >
        Who changed what, from where, and every refused attempt. Kept for 400 days; nobody can change an entry
        unseen.
      </PageHead>
      <AuditFilters account={account} asked={asked} go={go} />
      <Loaded query={query} rows={8}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data);
          return entries.length === 0 ? (
            <Empty
              title={isFiltered ? 'No entry fits' : 'Nothing was changed yet'}
              act={
                isFiltered && (
                  <Button
                    onClick={() => go({ who: '', action: '', resource: '', result: '', from: '', until: '' })}
                  >
                    Show all
                  </Button>
                )
              }
            />
          ) : (
            <>
              <Entries entries={entries} />
              <More query={query} />
            </>
          );
        }}
      </Loaded>
      {asked.verify !== undefined && (
        <VerifyChain account={account} path={PATH} close={() => go({ verify: '' })} />
      )}
    </>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const { rows, hold } = useSteady(entries);
  return (
    <ul aria-label="Audit log" className="card divide-y divide-line" {...hold}>
      {rows.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function AuditFilters({
  account,
  asked,
  go,
}: {
  account: Account;
  asked: Asked;
  go: (changed: Record<string, string>) => void;
}) {
  const members = useQuery(membersQuery(account)).data?.data ?? [];
  const keys = useQuery(keyNamesQuery(account)).data?.data ?? [];
  const operations = (useQuery(indexQuery).data?.families ?? []).flatMap(({ resources }) =>
    resources.flatMap((resource) => resource.operations),
  );
  const isKnown = [...members, ...keys].some(({ id }) => id === asked.who);
  return (
    <Filters label="Filter the audit log">
      <SelectField label="Who" value={asked.who ?? ''} onChange={(event) => go({ who: event.target.value })}>
        <option value="">Everybody</option>
        {asked.who !== undefined && !isKnown && <option value={asked.who}>{asked.who}</option>}
        <optgroup label="Members">
          {members.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label="API keys">
          {keys.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      </SelectField>
      <Typed
        label="Operation"
        list="audit-operations"
        placeholder="deleteVm"
        name="action"
        asked={asked}
        go={go}
      />
      <datalist id="audit-operations">
        {operations.map(({ id, summary }) => (
          <option key={id} value={id}>
            {summary}
          </option>
        ))}
      </datalist>
      <Typed label="Resource id" placeholder="vm_…" name="resource" asked={asked} go={go} />
      <SelectField
        label="Result"
        value={asked.result ?? ''}
        onChange={(event) => go({ result: event.target.value })}
      >
        <option value="">All</option>
        {outcomes.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <TextField
        label="From"
        type="date"
        value={asked.from ?? ''}
        max={asked.until}
        onChange={(event) => go({ from: event.target.value })}
      />
      <TextField
        label="Until"
        type="date"
        value={asked.until ?? ''}
        min={asked.from}
        onChange={(event) => go({ until: event.target.value })}
      />
    </Filters>
  );
}

/** Asks when the person has finished typing: half an id finds nothing. */
function Typed({
  label,
  name,
  asked,
  go,
  ...input
}: {
  label: string;
  name: 'action' | 'resource';
  asked: Asked;
  go: (changed: Record<string, string>) => void;
  placeholder: string;
  list?: string;
}) {
  const value = asked[name] ?? '';
  return (
    <TextField
      {...input}
      key={value}
      label={label}
      autoComplete="off"
      spellCheck={false}
      defaultValue={value}
      onBlur={(event) => event.target.value.trim() !== value && go({ [name]: event.target.value.trim() })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') go({ [name]: event.currentTarget.value.trim() });
      }}
    />
  );
}
