import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { indexQuery, operationQuery } from '../../data/queries.ts';
import { Code } from '../../ui/code.tsx';
import { Loaded, PageHead } from '../../ui/states.tsx';
import { Hash } from './hash.tsx';
import { OperationPicker } from './operation-picker.tsx';

export default function ViewJson() {
  const { operation } = useParams({ strict: false });
  const index = useQuery(indexQuery);
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="View JSON">
        The part of the document about one operation, with everything that it refers to. It is a valid
        document by itself.
      </PageHead>
      <Loaded query={index} rows={2}>
        {(found) => {
          const first = found.families[0]?.resources[0]?.operations[0]?.id ?? '';
          const chosen = operation ?? first;
          return (
            <>
              <div className="mb-4 flex flex-wrap items-end gap-3">
                <OperationPicker
                  index={found}
                  value={chosen}
                  choose={(id) => void navigate({ to: '/api/json/$operation', params: { operation: id } })}
                />
                <Link className="btn btn-plain" to="/api/reference/$operation" params={{ operation: chosen }}>
                  Reference
                </Link>
              </div>
              <Document id={chosen} />
              <Hash etag={found.etag} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Document({ id }: { id: string }) {
  const query = useQuery(operationQuery(id));
  return (
    <Loaded query={query} rows={8}>
      {(document) => <Code tall title={`${id}.json`} text={JSON.stringify(document, null, 2)} />}
    </Loaded>
  );
}
