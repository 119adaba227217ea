import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Problem } from '../../data/http.ts';
import { grants } from '../../data/permissions.ts';
import { accessQuery, indexQuery, keysQuery } from '../../data/queries.ts';
import { maySee, useMaybeAccount } from '../../data/session.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { copyText } from '../../ui/code.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Empty, PageHead, Skeleton } from '../../ui/states.tsx';
import { nearest } from './nearest.ts';

/** The server renders the page; here it is only put into the frame. Fetching a document runs no scripts in it. */
function fetchArticle(path: string): Promise<Element | null> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.responseType = 'document';
    request.onload = () => resolve(request.responseXML?.querySelector('article.ref') ?? null);
    request.onerror = () =>
      reject(
        new Problem(0, {
          title: 'The server did not answer',
          next_step: 'Check your connection, then try again.',
        }),
      );
    request.send();
  });
}

const articles = new Map<string, Element>();
const fromServer = document.querySelector('#root article.ref');
if (fromServer) articles.set(location.pathname.replace(/\/+$/, ''), fromServer);

export default function ReferencePage() {
  const { operation } = useParams({ strict: false });
  const path = `/portal/api/reference${operation ? `/${operation}` : ''}`;
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
  if (isUnknown) return <Unknown name={operation ?? ''} />;
  if (error !== null) return <ProblemNotice error={error} retry={load} />;
  if (article === undefined) return <Skeleton rows={8} />;
  return <Shown key={path} article={article} operation={operation} />;
}

function Shown({ article, operation }: { article: Element; operation: string | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const account = useMaybeAccount();
  useEffect(() => {
    const { current } = place;
    current?.replaceChildren(article);
    document.title = article.querySelector('h1')?.textContent ?? 'Reference';
    for (const button of article.querySelectorAll('[data-copy]')) button.removeAttribute('hidden');
    const language = localStorage.getItem('hp-language');
    const wanted = article.querySelector<HTMLInputElement>(`input[value="${CSS.escape(language ?? '')}"]`);
    if (wanted) wanted.checked = true;
    const onClick = (event: Event): void => {
      const target = event.target as Element;
      const button = target.closest('[data-copy]');
      if (button) {
        void copyText(button.closest('figure')?.querySelector('pre')?.textContent ?? '').then((worked) => {
          button.textContent = worked ? 'Copied' : 'Press Ctrl C';
        });
      }
      const link = target.closest<HTMLAnchorElement>('a[href^="/portal/api/"]');
      const mouse = event as MouseEvent;
      if (!link || link.pathname.endsWith('.md') || mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return;
      event.preventDefault();
      void navigate({ to: link.pathname.replace(/^\/portal/, '') });
    };
    const onChange = (event: Event): void => {
      const input = event.target as HTMLInputElement;
      if (input.name === 'language') localStorage.setItem('hp-language', input.value);
    };
    current?.addEventListener('click', onClick);
    current?.addEventListener('change', onChange);
    return () => {
      current?.removeEventListener('click', onClick);
      current?.removeEventListener('change', onChange);
    };
  }, [article, navigate]);
  return (
    <>
      {operation && account && maySee(account) && (
        <MayCall account={account} operation={operation} article={article} />
      )}
      <div ref={place} />
    </>
  );
}

/** Whether a key of this account may call the operation: no other reference can say that. */
function MayCall({ account, operation, article }: { account: Account; operation: string; article: Element }) {
  const keys = useQuery(keysQuery(account)).data?.data;
  const permission = article.querySelector('.ref-facts code')?.textContent ?? '';
  if (keys === undefined) return <div className="mb-4 h-[26px]" />;
  const fitting = keys.find(
    ({ status, permissions }) =>
      status === 'active' && permissions.some((pattern) => grants(pattern, permission)),
  );
  return (
    <div className="mb-4 flex min-h-[26px] flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {fitting ? (
        <KeySays account={account} keyOf={fitting} operation={operation} />
      ) : (
        <>
          <Badge tone="plain">None of your keys may call this</Badge>
          <Link to="/api/keys" search={{ create: permission }} className="link">
            Create a key with this permission
          </Link>
        </>
      )}
    </div>
  );
}

function KeySays({ account, keyOf, operation }: { account: Account; keyOf: ApiKey; operation: string }) {
  const access = useQuery(accessQuery(account, keyOf.id)).data?.data.find(
    (each) => each.operation_id === operation,
  );
  if (access === undefined) return null;
  return access.callable ? (
    <Badge tone="good">Your key {keyOf.name} may call this</Badge>
  ) : (
    <Badge tone="warn">
      Your key {keyOf.name} may not call this{access.reason ? `: ${access.reason}` : ''}
    </Badge>
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
