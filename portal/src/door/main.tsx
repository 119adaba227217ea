/** The pages in front of the portal: signing in, and what leads to it. A small entry of its own, without a router. */
import '../styles/door.css';
import { type ComponentType, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { paint, readSite, type Site } from '../data/site.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Frame } from './frame.tsx';
import { goOn } from './next.ts';
import type { DoorProps } from './props.ts';
import { SignIn } from './sign-in.tsx';

const pages: Readonly<Record<string, ComponentType<DoorProps>>> = {
  'sign-in': SignIn,
  'sign-up': lazyPage(() => import('./sign-up.tsx')),
  verify: lazyPage(() => import('./verify.tsx')),
  recover: lazyPage(() => import('./recover.tsx')),
  join: lazyPage(() => import('./join.tsx')),
  welcome: lazyPage(() => import('./welcome.tsx')),
};

const name = location.pathname.split('/')[2] ?? 'sign-in';
const Page = pages[name] ?? SignIn;

function Door({ site, failed }: { site: Site | undefined; failed: boolean }) {
  return (
    <Frame site={site} failed={failed}>
      <Suspense fallback={<div className="h-64" />}>
        <Page site={site} />
      </Suspense>
    </Frame>
  );
}

const root = createRoot(document.querySelector('#root')!);
const show = (site: Site | undefined, failed = false): void =>
  root.render(
    <StrictMode>
      <Door site={site} failed={failed} />
    </StrictMode>,
  );

readSite().then(
  (site) => {
    if (site.signed_in && (name === 'sign-in' || name === 'sign-up')) return goOn();
    paint(site.provider.accent);
    show(site);
  },
  () => show(undefined, true),
);

// A link whose page is open already changes only the fragment, in which its token is.
addEventListener('hashchange', () => location.reload());

// A page from the back-forward cache may be older than the session.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
