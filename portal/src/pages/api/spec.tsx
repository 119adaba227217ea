import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { indexQuery } from '../../data/queries.ts';
import { siteQuery } from '../../data/session.ts';
import { Code } from '../../ui/code.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Hash } from './hash.tsx';
import { KeySpec } from './key-spec.tsx';

export default function Spec() {
  const query = useQuery(indexQuery);
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  return (
    <>
      <PageHead title="Download Spec">
        One OpenAPI 3.1 document describes every call. Generators, editors and agents read it; it is always
        the one that this server follows.
      </PageHead>
      <Loaded query={query} rows={2}>
        {(index) => (
          <>
            <div className="mb-8 grid gap-4 md:grid-cols-2">
              {(['json', 'yaml'] as const).map((format) => (
                <div key={format} className="card flex flex-wrap items-center gap-4 p-5">
                  <div className="min-w-0 flex-1">
                    <h2 className="text-lg">{format.toUpperCase()}</h2>
                    <p className="text-sm text-muted">Version {index.version}, all operations</p>
                  </div>
                  <a
                    href={`/openapi.${format}`}
                    download={`openapi.${format}`}
                    className={`btn ${format === 'json' ? 'btn-primary' : 'btn-plain'}`}
                  >
                    Download
                  </a>
                </div>
              ))}
            </div>
            <Section
              title="Only what a key may call"
              note="The part of the document that a key can use is the best file to give to an agent. With the key, the same address returns it."
            >
              <KeySpec />
              <Code
                title="Shell"
                text={`curl -H "X-API-Key: $HOSTPLANE_API_KEY" -o openapi.json '${base}/openapi.json?for=me'`}
              />
            </Section>
            <Section title="For agents">
              <p className="max-w-[68ch] text-muted">
                <a className="link" href="/portal/llms.txt">
                  llms.txt
                </a>{' '}
                lists all operations with one line each, and every page of the{' '}
                <Link className="link" to="/api/reference">
                  reference
                </Link>{' '}
                has a Markdown twin.
              </p>
            </Section>
            <Hash etag={index.etag} />
          </>
        )}
      </Loaded>
    </>
  );
}
