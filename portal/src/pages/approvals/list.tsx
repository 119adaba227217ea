import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { approvalsQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Path } from '../../ui/path.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

export default function Approvals() {
  const account = useAccount();
  const query = useQuery(approvalsQuery(account));
  const { hash } = useLocation();
  const navigate = useNavigate();
  // `approve_url` may name the request in the fragment.
  useEffect(() => {
    if (hash.startsWith('op_')) void navigate({ to: '/approvals/$id', params: { id: hash }, replace: true });
  }, [hash, navigate]);
  return (
    <>
      <PageHead title="Approvals">Calls that a key may make only after a person has said yes.</PageHead>
      <Loaded query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty
              title="Nothing waits for you"
              act={
                <Link to="/api/keys" search={{ create: 'preset ai-agent' }} className="btn btn-plain">
                  Create a key that asks
                </Link>
              }
            >
              Keys with an approval mode ask before they delete or change something. Their questions appear
              here at once.
            </Empty>
          ) : (
            <ul className="card divide-y divide-line">
              {data.map((approval) => (
                <li key={approval.operation_id}>
                  <Link
                    to="/approvals/$id"
                    params={{ id: approval.operation_id }}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3.5 outline-offset-[-2px] hover:bg-canvas md:flex-nowrap md:px-5"
                  >
                    <span className="min-w-0 max-md:w-full md:flex-1">
                      <span className="block font-medium">
                        {approval.key.name ?? 'A key'} asks for {approval.call.operation_id}
                      </span>
                      <span className="flex min-w-0 items-baseline text-sm text-muted">
                        <Method>{approval.call.method}</Method>
                        <Path>{approval.call.path}</Path>
                      </span>
                    </span>
                    {approval.changes?.some(({ loosens }) => loosens) && <Badge tone="warn">loosens</Badge>}
                    <span className="shrink-0 text-sm text-muted max-md:flex-1">
                      ends <Ago time={approval.expires_at} />
                    </span>
                    <Icon name="right" className="text-faint" />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
