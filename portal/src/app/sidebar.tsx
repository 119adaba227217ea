import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isOwned, listAddress, mainNouns, nounsQuery, productsOf, titleOf } from '../data/nouns.ts';
import { approvalsQuery } from '../data/queries.ts';
import { maySee, siteQuery, useMaybeAccount } from '../data/session.ts';
import type { Account } from '../data/types.ts';
import { Brand } from '../ui/brand.tsx';
import { Icon } from '../ui/icons.tsx';
import { familyIcons, groups, type NavItem } from './nav.ts';

export function Sidebar({ open, close, signedIn }: { open: boolean; close: () => void; signedIn: boolean }) {
  const site = useQuery(siteQuery).data;
  const [folded, setFolded] = useState(document.documentElement.dataset['sidebar'] === 'folded');
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !sheet.current?.open) sheet.current?.showModal();
    if (!open) sheet.current?.close();
  }, [open]);
  const fold = (): void => {
    const next = !folded;
    setFolded(next);
    if (next) document.documentElement.dataset['sidebar'] = 'folded';
    else delete document.documentElement.dataset['sidebar'];
    localStorage.setItem('hp-sidebar', next ? 'folded' : 'open');
  };
  return (
    <>
      <aside className="shell-side" aria-label="Sidebar">
        <Link to={signedIn ? '/' : '/api/reference'} className="shell-brand" title={site?.provider.name}>
          <Brand site={site} />
          <span className="side-word truncate font-semibold tracking-tight">{site?.provider.name}</span>
        </Link>
        <Nav signedIn={signedIn} />
        <button
          type="button"
          className="nav-item mt-auto mb-2"
          aria-expanded={!folded}
          title={folded ? 'Unfold the menu' : 'Fold the menu'}
          onClick={fold}
        >
          <Icon name="fold" className={folded ? 'rotate-180' : ''} />
          <span className="side-word">Fold the menu</span>
        </button>
      </aside>
      <dialog
        ref={sheet}
        aria-label="Menu"
        className="m-0 h-dvh max-h-none w-[284px] max-w-[86vw] border-r border-line bg-surface p-0 shadow-(--lift)"
        onCancel={(event) => {
          event.preventDefault();
          close();
        }}
        onMouseDown={(event) => event.target === sheet.current && close()}
      >
        <div className="flex h-14 items-center gap-2.5 border-b border-line pr-2 pl-4">
          <Brand site={site} />
          <span className="min-w-0 flex-1 truncate font-semibold">{site?.provider.name}</span>
          <button
            type="button"
            className="btn btn-quiet w-11 px-0"
            aria-label="Close the menu"
            onClick={close}
          >
            <Icon name="close" className="size-5" />
          </button>
        </div>
        {open && <Nav signedIn={signedIn} />}
      </dialog>
    </>
  );
}

function Nav({ signedIn }: { signedIn: boolean }) {
  const account = useMaybeAccount();
  const shown = groups
    .map((group) => ({ ...group, items: group.items.filter((item) => signedIn || item.open) }))
    .filter(({ items }) => items.length > 0);
  return (
    <nav aria-label="Main" className="grid content-start gap-px overflow-y-auto px-2 py-3">
      {shown.map(({ title, items }, at) => (
        <div key={title ?? ''} className="mb-3 grid gap-px">
          {at === 1 && signedIn && <Products />}
          {title && <p className="side-word px-3 pt-1 pb-1.5 text-xs font-medium text-faint">{title}</p>}
          {items.map((item) => (
            <NavLink key={item.to} item={item} account={account} />
          ))}
        </div>
      ))}
    </nav>
  );
}

/** One entry for each family of the document. The one that is open shows what it has. */
function Products() {
  const families = useQuery(nounsQuery).data ?? [];
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const open = /^\/p\/([^/]+)/.exec(path)?.[1];
  return (
    <div className="mb-3 grid gap-px">
      <p className="side-word px-3 pt-1 pb-1.5 text-xs font-medium text-faint">Products</p>
      {productsOf(families).map((family) => (
        <div key={family.slug} className="grid gap-px">
          <Link
            to={`/p/${family.slug}`}
            title={family.title}
            activeOptions={{ exact: true }}
            className="nav-item"
          >
            <Icon name={familyIcons[family.slug] ?? 'layers'} />
            <span className="side-word flex-1 truncate">{family.title}</span>
          </Link>
          {family.slug === open &&
            mainNouns(family)
              .filter(isOwned)
              .map((noun) => (
                <Link key={noun.name} to={listAddress(noun)} className="nav-item side-word pl-10">
                  <span className="flex-1 truncate">{titleOf(noun)}</span>
                </Link>
              ))}
        </div>
      ))}
    </div>
  );
}

function NavLink({ item, account }: { item: NavItem; account: Account | undefined }) {
  return (
    <Link
      to={item.to}
      title={item.title}
      activeOptions={{ exact: item.to === '/' || item.to === '/me' }}
      className="nav-item"
    >
      <Icon name={item.icon} />
      <span className="side-word flex-1 truncate">{item.title}</span>
      {item.to === '/approvals' && account && maySee(account) && <Waiting account={account} />}
    </Link>
  );
}

function Waiting({ account }: { account: Account }) {
  const waiting = useQuery(approvalsQuery(account)).data?.data.length ?? 0;
  if (waiting === 0) return null;
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-medium text-white">
      {waiting}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
