import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { isPublicPage } from '../../../src/surfaces/portal/public-pages.ts';
import { useIsAway } from '../data/away.ts';
import { openLive } from '../data/live.ts';
import { siteQuery, useMaybeAccount, useMe } from '../data/session.ts';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHead } from '../ui/states.tsx';
import { Toasts, toast } from '../ui/toast.tsx';
import { AccountMenu } from './account-menu.tsx';
import { EndOfSession, Reauthentication } from './asked-again.tsx';
import { NoAccount, SecondFactorNeeded } from './fallbacks.tsx';
import { FollowedWork } from './followed-work.tsx';
import { leave } from './leave.ts';
import { isOfAccount } from './nav.ts';
import { Sidebar } from './sidebar.tsx';
import { keepTyped } from './typed-ahead.ts';

type Palette = ComponentType<{ close: () => void; typed: () => string }>;

export function Shell() {
  const me = useMe();
  const account = useMaybeAccount();
  const isAway = useIsAway();
  const site = useQuery(siteQuery).data;
  const { client } = useRouter().options.context;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [menuOpen, setMenuOpen] = useState(false);
  const [Found, setFound] = useState<Palette | null>(null);
  const [isHidden, setHidden] = useState(false);
  const typed = useRef<() => string>(undefined);
  /** What was typed while the search was loaded. */
  const takeTyped = useCallback((): string => {
    const text = typed.current?.() ?? '';
    typed.current = undefined;
    return text;
  }, []);
  const find = useCallback(() => {
    if (Found !== null) return;
    typed.current ??= keepTyped();
    void import('./palette.tsx').then(
      ({ default: palette }) => setFound(() => palette),
      () => {
        takeTyped();
        toast('The search is not loaded: the server does not answer.');
      },
    );
  }, [Found, takeTyped]);
  // From a page for everybody, links lead to pages that are not.
  const isClosed = me === null && !isPublicPage(`/portal${path}`);
  useEffect(() => {
    if (isClosed) leave();
  }, [isClosed]);
  const accountId = account?.id;
  useEffect(
    () => (accountId === undefined || isHidden ? undefined : openLive(client, accountId)),
    [client, accountId, isHidden],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever the page changes.
  useEffect(() => setMenuOpen(false), [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      find();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [find]);
  return (
    <>
      <div className="shell" hidden={isHidden}>
        <a href="#content" className="skip btn btn-primary">
          Skip to the content
        </a>
        <Sidebar open={menuOpen} close={() => setMenuOpen(false)} signedIn={Boolean(me)} />
        <header className="shell-head">
          <button
            type="button"
            className="btn btn-quiet -ml-2 w-11 px-0 md:hidden"
            aria-label="Menu"
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(true)}
          >
            <Icon name="menu" className="size-5" />
          </button>
          <Link
            to={me ? '/' : '/api/reference'}
            className="flex min-w-0 items-center gap-2.5 rounded-md md:hidden"
          >
            <Brand site={site} size={26} />
            <span className="truncate font-semibold">{site?.provider.name}</span>
          </Link>
          <button
            type="button"
            className="flex h-9 w-full max-w-[320px] items-center gap-2.5 rounded-md border border-line bg-canvas px-3 text-muted hover:text-ink max-md:hidden"
            onClick={find}
          >
            <Icon name="search" />
            <span className="flex-1 text-left">Search or jump to…</span>
            <kbd className="rounded border border-line bg-surface px-1.5 text-xs">Ctrl K</kbd>
          </button>
          <span className="flex-1" />
          <button
            type="button"
            className="btn btn-quiet w-11 px-0 md:hidden"
            aria-label="Search"
            onClick={find}
          >
            <Icon name="search" className="size-5" />
          </button>
          {me ? (
            <AccountMenu me={me} account={account} />
          ) : (
            me === null && (
              <a href="/portal/sign-in" className="btn btn-plain">
                Sign in
              </a>
            )
          )}
        </header>
        <main id="content" tabIndex={-1} className="shell-main">
          {isAway && me && (
            <div className="mb-5">
              <Notice tone="warn">
                The server does not answer, so what stands here may be old. The page goes on by itself once it
                answers again.
              </Notice>
            </div>
          )}
          {isClosed ? null : me === undefined ? (
            <>
              <PageHead title="The portal does not answer">
                You are still signed in, and nothing is lost. Try again in a minute.
              </PageHead>
              <Button kind="primary" onClick={() => void client.refetchQueries()}>
                Try again
              </Button>
            </>
          ) : me !== null && isOfAccount(path) && account === undefined ? (
            <NoAccount me={me} />
          ) : me !== null && isOfAccount(path) && account?.mfa_required && !me.session.second_factor ? (
            <SecondFactorNeeded account={account} />
          ) : (
            <Outlet key={account?.id} />
          )}
        </main>
        {Found !== null && <Found close={() => setFound(null)} typed={takeTyped} />}
        <Reauthentication />
      </div>
      <EndOfSession hide={setHidden} />
      <FollowedWork />
      <Toasts />
    </>
  );
}
