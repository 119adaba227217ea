/** The menu. An entry appears when its page is built. */
import type { IconName } from '../ui/icons.tsx';

export interface NavItem {
  readonly title: string;
  readonly to: string;
  readonly icon: IconName;
  readonly words?: string;
  /** For everybody, signed in or not. */
  readonly open?: boolean;
}

export interface NavGroup {
  readonly title: string | null;
  readonly items: readonly NavItem[];
}

/** A family without an icon of its own has a general one. */
export const familyIcons: Readonly<Record<string, IconName>> = {
  'flexible-vps': 'server',
  'ip-management': 'swap',
  support: 'chat',
};

export const groups: readonly NavGroup[] = [
  {
    title: null,
    items: [
      { title: 'Home', to: '/', icon: 'home' },
      {
        title: 'Operations',
        to: '/operations',
        icon: 'bolt',
        words: 'work running failed steps progress cancel',
      },
      { title: 'Approvals', to: '/approvals', icon: 'approvals', words: 'agent requests' },
    ],
  },
  {
    title: 'Developers · API',
    items: [
      { title: 'Keys', to: '/api/keys', icon: 'key', words: 'create key secret allowlist denials' },
      { title: 'Endpoints', to: '/api/endpoints', icon: 'list', open: true },
      { title: 'My APIs', to: '/api/mine', icon: 'mine' },
      { title: 'Full reference', to: '/api/reference', icon: 'book', words: 'documentation', open: true },
      { title: 'Download Spec', to: '/api/spec', icon: 'download', words: 'openapi json yaml', open: true },
      { title: 'View JSON', to: '/api/json', icon: 'braces', open: true },
      { title: 'API Explorer', to: '/api/explorer', icon: 'play', words: 'try call' },
      {
        title: 'Infrastructure as Code',
        to: '/api/iac',
        icon: 'layers',
        words: 'terraform opentofu ansible modules',
        open: true,
      },
      {
        title: 'AI assistants · MCP',
        to: '/api/mcp',
        icon: 'plug',
        words: 'claude cursor vs code windsurf zed chatgpt codex agent connect',
        open: true,
      },
      { title: 'Examples', to: '/api/examples', icon: 'code', words: 'curl ci webhook' },
    ],
  },
  {
    title: 'Account',
    items: [
      { title: 'Usage', to: '/usage', icon: 'chart', words: 'cost forecast spending bill csv' },
      { title: 'Budgets', to: '/budgets', icon: 'wallet', words: 'cost limit thresholds lock' },
      { title: 'Limits', to: '/limits', icon: 'gauge', words: 'quota used' },
      { title: 'Webhooks', to: '/webhooks', icon: 'hook', words: 'events deliveries secret' },
      { title: 'Audit log', to: '/audit', icon: 'log', words: 'who changed history chain csv' },
      { title: 'Members', to: '/members', icon: 'people', words: 'roles invite' },
      { title: 'Settings', to: '/settings', icon: 'gear', words: 'name contacts time zone close account' },
    ],
  },
  {
    title: 'You',
    items: [
      { title: 'Profile', to: '/me', icon: 'person', words: 'name theme' },
      {
        title: 'Security',
        to: '/me/security',
        icon: 'shield',
        words: 'password passkey totp sessions recovery codes',
      },
    ],
  },
];

/** Whether the page shows something of an account. The others show the API, or the person. */
export const isOfAccount = (path: string): boolean =>
  !/^\/me(\/|$)/.test(path) &&
  !groups.some(({ items }) => items.some(({ to, open }) => open && path.startsWith(to)));
