import '../styles/app.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isPublicPage } from '../../../src/surfaces/portal/public-pages.ts';
import { Problem, refusals } from '../data/http.ts';
import { ask, NOT_SIGNED_IN, withReauthentication } from '../data/reauth.ts';
import { meQuery, siteQuery } from '../data/session.ts';
import { chosenTheme, paint, setTheme } from '../data/site.ts';
import { guard } from '../ui/use-act.ts';
import { leave, listenForSignOut } from './leave.ts';
import { openRouter } from './router.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status >= 500),
    },
  },
});

guard.around = withReauthentication;
refusals.listener = (problem) => {
  // A wrong password in a dialog is a 401 as well, but the session goes on.
  if (problem.code !== NOT_SIGNED_IN || isPublicPage(location.pathname)) return;
  // Before anything was shown, there is nothing to keep.
  if (ask(problem) === undefined) leave();
};
listenForSignOut();

const router = openRouter(client);
const root = document.querySelector('#root')!;

const [me, site] = await Promise.all([
  client.fetchQuery(meQuery).catch(() => undefined),
  client.fetchQuery(siteQuery).catch(() => undefined),
]);
paint(site?.provider.accent ?? null);
// A device on which nothing was chosen takes over what the person chose elsewhere.
if ((me?.person.theme === 'light' || me?.person.theme === 'dark') && chosenTheme() === 'system')
  setTheme(me.person.theme);
if (me === null && !isPublicPage(location.pathname)) leave();
else {
  // What the server rendered stays on the page until the first page is ready to replace it.
  await router.load();
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

// After signing out, the back button must not show a page that the browser kept.
addEventListener('pageshow', (event) => {
  if (!event.persisted) return;
  root.replaceChildren();
  location.reload();
});
