import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { indexQuery, operationQuery } from '../../data/queries.ts';
import { describe } from '../../form/document.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { Path } from '../../ui/path.tsx';
import { Loaded, PageHead } from '../../ui/states.tsx';
import { OperationPicker } from '../api/operation-picker.tsx';
import { Workbench } from './workbench.tsx';

const FIRST = 'getAccountProfile';

export default function Explorer() {
  const { operation } = useParams({ strict: false });
  const chosen = operation ?? FIRST;
  const index = useQuery(indexQuery);
  const document = useQuery(operationQuery(chosen));
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="API Explorer">
        Real calls to this account, with a dry run before anything changes.
      </PageHead>
      <div className="mb-6">
        <Loaded query={index} rows={2}>
          {(found) => (
            <OperationPicker
              index={found}
              value={chosen}
              choose={(id) => void navigate({ to: '/api/explorer/$operation', params: { operation: id } })}
            />
          )}
        </Loaded>
      </div>
      <Loaded query={document} rows={6}>
        {(json) => {
          const described = describe(json, chosen);
          if (described === null) return null;
          return (
            <>
              <p className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2">
                <span className="flex min-w-0 items-baseline">
                  <Method>{described.method}</Method>
                  <Path>{described.path}</Path>
                </span>
                <code className="text-sm text-muted">{described.permission}</code>
                {described.access === 'destructive' && <Badge tone="bad">destructive</Badge>}
                <Link className="link text-sm" to="/api/reference/$operation" params={{ operation: chosen }}>
                  Reference
                </Link>
              </p>
              <Workbench key={chosen} id={chosen} described={described} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
