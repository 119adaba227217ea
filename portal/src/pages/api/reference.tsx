import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { indexQuery } from '../../data/queries.ts';
import { maySee, useMaybeAccount } from '../../data/session.ts';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Empty, PageHead, Skeleton } from '../../ui/states.tsx';
import { bringToLife, fetchArticle } from './article.ts';
import { MayCall } from './may-call.tsx';
import { nearest } from './nearest.ts';

const articles = new Map<string, Element>();
const fromServer = document.querySelector('#root article.ref');
if (fromServer) articles.set(location.pathname.replace(/\/+$/, ''), fromServer);

/** The server renders the pages of the reference; here they are only put into the frame. */
export default function ReferencePage() {
  const { operation, code } = useParams({ strict: false });
  const path = `/portal${useLocation().pathname.replace(/\/+$/, '')}`;
  const [, show] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isUnknown, setUnknown] = useState(false);
  const article = articles.get(path);
  const load = (): void => {
    setError(null);
    fetchArticle(path).then((found) => {
      if (found === null) setUnknown(true);
      else {
        articles.set(path, document.adoptNode(found));
        show((n) => n + 1);
      }
    }, setError);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page is loaded once.
  useEffect(() => {
    setUnknown(false);
    if (!articles.has(path)) load();
  }, [path]);
  if (isUnknown) return code === undefined ? <Unknown name={operation ?? ''} /> : <UnknownCode code={code} />;
  if (error !== null) return <ProblemNotice error={error} retry={load} />;
  if (article === undefined) return <Skeleton rows={8} />;
  return <Shown key={path} article={article} operation={operation} />;
}

function Shown({ article, operation }: { article: Element; operation: string | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const account = useMaybeAccount();
  // The server leaves room for it among the facts of the call.
  const beside = article.querySelector('.ref-may');
  useEffect(() => {
    place.current?.replaceChildren(article);
    document.title = article.querySelector('h1')?.textContent ?? 'Reference';
    return bringToLife(article, (to) => void navigate({ to }));
  }, [article, navigate]);
  return (
    <>
      {operation &&
        account &&
        maySee(account) &&
        beside !== null &&
        createPortal(<MayCall account={account} operation={operation} article={article} />, beside)}
      <div ref={place} />
    </>
  );
}

function UnknownCode({ code }: { code: string }) {
  return (
    <>
      <PageHead title="No such error code" />
      <Empty title={`The API has no error code ${code}`}>
        <Link className="link" to="/api/reference/errors">
          See all error codes
        </Link>
      </Empty>
    </>
  );
}

function Unknown({ name }: { name: string }) {
  const index = useQuery(indexQuery).data;
  const near = nearest(name, index);
  return (
    <>
      <PageHead title="No such operation" />
      <Empty title={`There is no operation ${name}`}>
        <p>These names are the nearest:</p>
        <ul className="mt-3 grid gap-1">
          {near.map(({ id, summary }) => (
            <li key={id}>
              <Link className="link" to="/api/reference/$operation" params={{ operation: id }}>
                {id}
              </Link>{' '}
              {summary}
            </li>
          ))}
        </ul>
      </Empty>
    </>
  );
}
