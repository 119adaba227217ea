import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { accessQuery, indexQuery, keysQuery } from '../../data/queries.ts';
import type { OperationIndex } from '../../data/reference-types.ts';
import { useAccount } from '../../data/session.ts';
import type { Access, Account } from '../../data/types.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Path } from '../../ui/path.tsx';
import { Loaded, PageHead } from '../../ui/states.tsx';
import { Filter, useFilter } from './filter.tsx';
import { Hash } from './hash.tsx';
import { NoHits } from './no-hits.tsx';

export default function MyApis() {
  const account = useAccount();
  const { key = '' } = useSearch({ strict: false }) as { key?: string };
  const keys = useQuery(keysQuery(account)).data?.data.filter(({ status }) => status === 'active') ?? [];
  const navigate = useNavigate();
  const index = useQuery(indexQuery);
  return (
    <>
      <PageHead title="My APIs">
        What you, or one of the keys, can really call in {account.name}, and why not.
      </PageHead>
      <div className="mb-4 w-full max-w-[440px]">
        <SelectField
          label="Who calls"
          value={key}
          onChange={(event) =>
            void navigate({
              to: '/api/mine',
              search: ({ key: _, ...others }: Record<string, string>) =>
                event.target.value === '' ? others : { ...others, key: event.target.value },
            })
          }
        >
          <option value="">Me ({account.role})</option>
          {keys.map(({ id, name }) => (
            <option key={id} value={id}>
              Key {name}
            </option>
          ))}
        </SelectField>
      </div>
      <Filter label="Filter endpoints" placeholder="Words, path or permission" />
      <Loaded query={index} rows={10}>
        {(found) => <List account={account} index={found} keyId={key === '' ? null : key} />}
      </Loaded>
    </>
  );
}

function List({ account, index, keyId }: { account: Account; index: OperationIndex; keyId: string | null }) {
  const query = useQuery(accessQuery(account, keyId));
  const { matches, words } = useFilter();
  return (
    <Loaded query={query} rows={10}>
      {({ data }) => {
        const byId = new Map(data.map((access) => [access.operation_id, access]));
        const callable = data.filter((access) => access.callable).length;
        const shown = index.families
          .map((family) => ({
            family,
            operations: family.resources
              .flatMap((resource) => resource.operations)
              .filter(({ id, summary, method, path, permission }) =>
                matches(`${id} ${summary} ${method} ${path} ${permission} ${family.name}`),
              ),
          }))
          .filter(({ operations }) => operations.length > 0);
        return (
          <>
            <p role="status" className="mb-4 text-sm text-muted">
              {callable} of {data.length} can be called
            </p>
            {shown.length === 0 && <NoHits words={words} index={index} />}
            {shown.map(({ family, operations }) => {
              const own = operations.filter(({ id }) => byId.get(id)?.callable).length;
              return (
                <section key={family.name} className="mb-8">
                  <h2 className="mb-3 flex items-baseline gap-2 text-lg">
                    {family.name}
                    <span className="text-sm font-normal text-faint">
                      {own} of {operations.length}
                    </span>
                  </h2>
                  <ul className="card divide-y divide-line">
                    {operations.map((operation) => (
                      <li
                        key={operation.id}
                        className="grid items-center gap-x-4 gap-y-1 px-4 py-2.5 md:grid-cols-[minmax(0,3fr)_minmax(0,4fr)_220px] md:px-5"
                      >
                        <Link
                          to="/api/reference/$operation"
                          params={{ operation: operation.id }}
                          className="hover:underline"
                        >
                          {operation.summary}
                        </Link>
                        <span className="flex min-w-0 items-baseline text-sm text-muted">
                          <Method>{operation.method}</Method>
                          <Path>{operation.path}</Path>
                        </span>
                        <Verdict access={byId.get(operation.id)} />
                      </li>
                    ))}
                  </ul>
                </section>
              );
            })}
            <Hash etag={index.etag} />
          </>
        );
      }}
    </Loaded>
  );
}

const reasons: Readonly<Record<string, string>> = {
  key: 'The key lacks the permission',
  role: 'The role does not allow it',
  product: 'The product is not enabled',
  account_status: 'The account is restricted',
  key_status: 'The key does not work',
};

function Verdict({ access }: { access: Access | undefined }) {
  if (access?.callable) return <Badge tone="good">yes</Badge>;
  return (
    <span className="min-w-0 text-sm">
      <Badge tone="plain">{reasons[access?.reason ?? ''] ?? 'no'}</Badge>
      {access?.missing_permission && (
        <code className="mt-0.5 block text-xs break-all text-faint">{access.missing_permission}</code>
      )}
    </span>
  );
}
