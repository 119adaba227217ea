import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { activeKeysQuery, foundResourcesQuery, operationOfQuery } from '../data/account-queries.ts';
import { resourcePath } from '../data/links.ts';
import {
  isOwned,
  listAddress,
  mainNouns,
  makerOf,
  type NounFamily,
  nounsQuery,
  productsOf,
  singularOf,
  titleOf,
} from '../data/nouns.ts';
import { foundOperationsQuery, indexQuery } from '../data/queries.ts';
import { maySee, useMaybeAccount, useMe } from '../data/session.ts';
import type { Account } from '../data/types.ts';
import { inSentence, spoken } from '../data/words.ts';
import { titleOf as operationTitle } from '../pages/operations/words.ts';
import { returnFocus } from '../ui/focus.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { familyIcons, groups } from './nav.ts';

interface Hit {
  readonly title: string;
  readonly note: string;
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
}

const MOST = 16;
/** As many as the server reads. */
const LONGEST_QUESTION = 400;
const LONGEST_NAME = 90;
/** One letter is in nearly every name. */
const SHORTEST_NAME = 2;
const OPERATION = /^op_[0-9a-z]{26}$/;

/** What the account can have: its list, and the page that makes one. */
const productHits = (families: readonly NounFamily[]): Hit[] =>
  productsOf(families).flatMap((family): Hit[] => {
    const { title: note, slug } = family;
    const icon = familyIcons[slug] ?? 'layers';
    const pages = mainNouns(family)
      .filter(isOwned)
      .flatMap((noun): Hit[] => {
        const [title, one] = [titleOf(noun), inSentence(singularOf(noun))];
        const shared = { note, icon };
        const list = { ...shared, title, to: listAddress(noun), text: `${title} ${one}` };
        if (makerOf(noun) === undefined) return [list];
        const create = `Create ${one}`;
        const to = `${listAddress(noun)}/new`;
        return [list, { ...shared, title: create, to, text: `${create} new ${title} ${noun.name}` }];
      });
    return [{ title: note, note: 'Product', to: `/p/${slug}`, icon, text: note }, ...pages];
  });

/** Ctrl K: jumps to a page, a key, a resource or an operation. */
export default function Palette({ close, typed }: { close: () => void; typed: () => string }) {
  const me = useMe();
  const account = useMaybeAccount();
  const index = useQuery(indexQuery).data;
  const nobody: Account = {
    id: '',
    name: '',
    status: '',
    role: 'viewer',
    member_id: '',
    mfa_required: false,
  };
  const families = useQuery({ ...nounsQuery, enabled: account !== undefined }).data;
  const sees = account !== undefined && maySee(account);
  const keys = useQuery({ ...activeKeysQuery(account ?? nobody), enabled: sees }).data;
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    const text = typed();
    setWords((words) => words + text);
    return () => returnFocus(before);
  }, [typed]);
  const all = useMemo((): Hit[] => {
    const pages = groups.flatMap(({ title, items }) =>
      items
        .filter((item) => me || item.open)
        .map((item) => ({ ...item, note: title ?? 'Page', text: `${item.title} ${item.words ?? ''}` })),
    );
    const mine = (keys?.data ?? []).map((key) => ({
      title: key.name,
      note: 'API key',
      to: `/api/keys?key=${key.id}`,
      icon: 'key' as const,
      text: `${key.name} ${key.public_id}`,
    }));
    const operations = (index?.families ?? []).flatMap(({ resources }) =>
      resources.flatMap(({ operations: some }) =>
        some.map((operation) => ({
          title: operation.summary,
          note: `${operation.method} ${operation.path}`,
          to: `/api/reference/${operation.id}`,
          icon: 'book' as const,
          text: `${operation.summary} ${operation.id} ${operation.method} ${operation.path} ${operation.permission}`,
        })),
      ),
    );
    return [...pages, ...productHits(families ?? []), ...mine, ...operations];
  }, [me, keys, index, families]);
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  const named = all
    .filter(({ text }) => asked.every((word) => text.toLowerCase().includes(word)))
    .slice(0, MOST);
  const text = words.trim();
  const resources = useQuery({
    ...foundResourcesQuery(account ?? nobody, text.slice(0, LONGEST_NAME)),
    enabled: sees && text.length >= SHORTEST_NAME,
  });
  const work = useQuery({
    ...operationOfQuery(account ?? nobody, text.toLowerCase()),
    enabled: sees && OPERATION.test(text.toLowerCase()),
    retry: false,
  });
  const works: readonly Hit[] = work.data
    ? [
        {
          title: operationTitle(work.data),
          note: `Operation, ${work.data.status}`,
          to: `/operations/${work.data.id}`,
          icon: 'bolt',
          text: work.data.id,
        },
      ]
    : [];
  const things = (resources.data?.data ?? []).flatMap((resource): Hit[] => {
    // Without a page of its own, what happened to it can be seen.
    const to = resourcePath(resource) ?? `/audit?resource=${resource.id}`;
    const title = resource.name || resource.id;
    const note = [spoken(resource.type), resource.location, resource.status].filter(Boolean).join(', ');
    return [{ title, note, to, icon: 'layers', text: title }];
  });
  const isFound = works.length > 0 || things.length > 0 || named.length > 0;
  // Nothing has all these words, so the server is asked what they mean.
  const found = useQuery({
    ...foundOperationsQuery(asked.join(' ').slice(0, LONGEST_QUESTION)),
    enabled: Boolean(me) && !isFound && asked.length > 0 && !resources.isLoading && !work.isLoading,
  }).data;
  const meant = [...(found?.operation_ids ?? []), ...(found?.near_operation_ids ?? [])].flatMap(
    (operation) => all.find(({ to }) => to === `/api/reference/${operation}`) ?? [],
  );
  // A page that is called exactly like this comes before what has the word in its name.
  const isExact = ({ title }: Hit): boolean => title.toLowerCase() === asked.join(' ');
  const hits = isFound
    ? [...named.filter(isExact), ...works, ...things, ...named.filter((hit) => !isExact(hit))]
    : meant;
  const current = Math.min(at, Math.max(0, hits.length - 1));
  const go = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    const [path = '/', search = ''] = hit.to.split('?');
    void navigate({ to: path, search: Object.fromEntries(new URLSearchParams(search)) });
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Search or jump to"
      className="mx-auto mt-[12vh] mb-0 w-[calc(100%-24px)] max-w-[600px] animate-[fade_100ms] overflow-hidden rounded-lg border border-line bg-raised p-0 shadow-(--lift)"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-muted" />
        <input
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={hits.length > 0 ? `${id}-${current}` : undefined}
          className="h-12 w-full bg-transparent text-lg outline-none"
          placeholder="A page, a resource by name, id or address, an operation"
          autoComplete="off"
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
            if (move !== 0) {
              event.preventDefault();
              setAt((current + move + hits.length) % Math.max(1, hits.length));
            }
            if (event.key === 'Enter') go(hits[current]);
          }}
        />
        <kbd className="rounded border border-line px-1.5 text-xs text-faint">Esc</kbd>
      </div>
      {!isFound && found?.note && (
        <p role="status" className="px-4 pt-3 text-muted">
          {found.note}
          {found.near_operation_ids.length > 0 && ' The nearest topics:'}
        </p>
      )}
      <div id={id} role="listbox" aria-label="Hits" className="max-h-[56dvh] overflow-y-auto p-1.5">
        {hits.length === 0 && (
          <p className="px-3 py-6 text-center text-muted">Nothing has these words. Try fewer.</p>
        )}
        {hits.map((hit, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys work in the field above, which keeps the focus.
          <div
            key={`${hit.to} ${hit.title}`}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === current}
            className={`flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 py-1.5 ${i === current ? 'bg-accent-soft text-accent-ink' : ''}`}
            onMouseMove={() => setAt(i)}
            onClick={() => go(hit)}
          >
            <Icon name={hit.icon} className="opacity-70" />
            <span className="min-w-0 flex-1 truncate">{hit.title}</span>
            <span
              className={`max-w-[50%] truncate text-xs max-md:hidden ${i === current ? '' : 'text-faint'}`}
            >
              {hit.note}
            </span>
          </div>
        ))}
      </div>
    </dialog>
  );
}
