import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { indexQuery } from '../../data/queries.ts';
import { count } from '../../data/words.ts';
import { Method } from '../../ui/badge.tsx';
import { Path } from '../../ui/path.tsx';
import { Loaded, PageHead } from '../../ui/states.tsx';
import { Filter, useFilter } from './filter.tsx';
import { Hash } from './hash.tsx';
import { NoHits } from './no-hits.tsx';

export default function Endpoints() {
  const query = useQuery(indexQuery);
  const { words, matches } = useFilter();
  return (
    <>
      <PageHead title="Endpoints">Every endpoint that this server has now, with its exact path.</PageHead>
      <Filter label="Filter endpoints" placeholder="Words, path or permission" />
      <Loaded query={query} rows={10}>
        {(index) => {
          const all = index.families.flatMap(({ resources }) =>
            resources.flatMap(({ operations }) => operations),
          );
          const families = index.families
            .map((family) => ({
              ...family,
              resources: family.resources
                .map((resource) => ({
                  ...resource,
                  operations: resource.operations.filter((operation) =>
                    matches(
                      `${operation.id} ${operation.summary} ${operation.method} ${operation.path} ${operation.permission} ${operation.access} ${resource.title} ${family.name}`,
                    ),
                  ),
                }))
                .filter(({ operations }) => operations.length > 0),
            }))
            .filter(({ resources }) => resources.length > 0);
          const shown = families.flatMap(({ resources }) =>
            resources.flatMap(({ operations }) => operations),
          ).length;
          if (shown === 0) return <NoHits words={words} index={index} />;
          return (
            <>
              <p role="status" className="mb-4 text-sm text-muted">
                {shown === all.length
                  ? count(all.length, 'endpoint')
                  : `${shown} of ${count(all.length, 'endpoint')}`}
              </p>
              {families.map(({ name, resources }) => (
                <section key={name} className="mb-8">
                  <h2 className="mb-3 flex items-baseline gap-2 text-lg">
                    {name}
                    <span className="text-sm font-normal text-faint">
                      {resources.flatMap(({ operations }) => operations).length}
                    </span>
                  </h2>
                  <div className="card divide-y divide-line">
                    {resources.map(({ name: id, title, operations }) => (
                      <div
                        key={id}
                        className="grid gap-x-6 gap-y-1 p-4 md:grid-cols-[180px_minmax(0,1fr)] md:px-5"
                      >
                        <h3 className="pt-1 text-sm">
                          {title} <span className="font-normal text-faint">{operations.length}</span>
                        </h3>
                        <ul className="-mx-2">
                          {operations.map((operation) => (
                            <li key={operation.id}>
                              <Link
                                to="/api/reference/$operation"
                                params={{ operation: operation.id }}
                                className="grid gap-x-3 rounded-md px-2 py-1 hover:bg-sunken max-md:py-2 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]"
                              >
                                <span>{operation.summary}</span>
                                <span className="flex min-w-0 items-baseline gap-1 text-sm text-muted">
                                  <Method>{operation.method}</Method>
                                  <Path>{operation.path}</Path>
                                </span>
                              </Link>
                            </li>
                          ))}
                        </ul>
                      </div>
                    ))}
                  </div>
                </section>
              ))}
              <Hash etag={index.etag} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
