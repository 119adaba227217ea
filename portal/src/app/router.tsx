import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Failed, NotFound } from './fallbacks.tsx';
import { Shell } from './shell.tsx';

type Search = Readonly<Record<string, string>>;

const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: Failed,
  validateSearch: (search): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
});

const page = (path: string, load: () => Promise<{ default: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: lazyPage(load) });

const leads = (path: string, to: string) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: () => {
      throw redirect({ to });
    },
  });

const routes = [
  page('/', () => import('../pages/home/home.tsx')),
  page('/operations', () => import('../pages/operations/list.tsx')),
  page('/operations/$id', () => import('../pages/operations/one.tsx')),
  page('/approvals', () => import('../pages/approvals/list.tsx')),
  page('/approvals/$id', () => import('../pages/approvals/one.tsx')),
  leads('/api', '/api/keys'),
  page('/api/keys', () => import('../pages/keys/keys.tsx')),
  page('/api/keys/allowlist', () => import('../pages/keys/allowlist.tsx')),
  page('/api/keys/denials', () => import('../pages/keys/denials.tsx')),
  page('/api/endpoints', () => import('../pages/api/endpoints.tsx')),
  page('/api/mine', () => import('../pages/api/mine.tsx')),
  page('/api/reference', () => import('../pages/api/reference.tsx')),
  page('/api/reference/$operation', () => import('../pages/api/reference.tsx')),
  page('/api/reference/errors', () => import('../pages/api/reference.tsx')),
  page('/api/reference/errors/$code', () => import('../pages/api/reference.tsx')),
  page('/api/spec', () => import('../pages/api/spec.tsx')),
  page('/api/json', () => import('../pages/api/json.tsx')),
  page('/api/json/$operation', () => import('../pages/api/json.tsx')),
  page('/api/explorer', () => import('../pages/explorer/explorer.tsx')),
  page('/api/explorer/$operation', () => import('../pages/explorer/explorer.tsx')),
  page('/api/iac', () => import('../pages/api/iac.tsx')),
  page('/api/iac/ansible', () => import('../pages/api/iac.tsx')),
  page('/api/mcp', () => import('../pages/api/mcp.tsx')),
  page('/api/mcp/$client', () => import('../pages/api/mcp.tsx')),
  page('/api/examples', () => import('../pages/api/examples.tsx')),
  page('/r/$id', () => import('../pages/products/go.tsx')),
  page('/p/$family', () => import('../pages/products/family.tsx')),
  page('/p/$family/$noun', () => import('../pages/products/list.tsx')),
  page('/p/$family/$noun/new', () => import('../pages/products/new.tsx')),
  page('/p/$family/$noun/$id', () => import('../pages/products/one.tsx')),
  page('/p/$family/$noun/$id/$child/new', () => import('../pages/products/new.tsx')),
  page('/p/$family/$noun/$id/$child/$childId', () => import('../pages/products/one.tsx')),
  page('/cli-login', () => import('../pages/cli-login/cli-login.tsx')),
  page('/usage', () => import('../pages/usage/usage.tsx')),
  page('/budgets', () => import('../pages/budgets/budgets.tsx')),
  page('/limits', () => import('../pages/limits.tsx')),
  page('/webhooks', () => import('../pages/webhooks/list.tsx')),
  page('/webhooks/$id', () => import('../pages/webhooks/one.tsx')),
  page('/audit', () => import('../pages/audit/audit.tsx')),
  page('/settings', () => import('../pages/settings/settings.tsx')),
  page('/members', () => import('../pages/members/members.tsx')),
  page('/me', () => import('../pages/me/profile.tsx')),
  page('/me/security', () => import('../pages/me/security.tsx')),
];

export const openRouter = (client: QueryClient) =>
  createRouter({
    routeTree: rootRoute.addChildren(routes),
    basepath: '/portal',
    context: { client },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingMs: 400,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Failed,
    // The values of the address are plain text: `?q=12` stays text and is not read as a number.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(
        Object.entries(search as Search).filter(([, value]) => value !== undefined && value !== ''),
      ).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
