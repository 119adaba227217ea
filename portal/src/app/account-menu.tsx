import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../data/http.ts';
import { chooseAccount } from '../data/session.ts';
import { chosenTheme, setTheme, type Theme } from '../data/site.ts';
import type { Account, Me } from '../data/types.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { signOut } from './leave.ts';

const themes: readonly (readonly [Theme, string, IconName])[] = [
  ['system', 'Theme of the system', 'screen'],
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
];

export function AccountMenu({ me, account }: { me: Me; account: Account | undefined }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [theme, show] = useState(chosenTheme());
  const accounts: MenuItem[] = me.accounts.map((each) => ({
    label: each.name,
    checked: each.id === account?.id,
    run: () => {
      chooseAccount(each.id);
      void navigate({ to: '/' });
      toast(`You work for ${each.name} now.`);
    },
  }));
  const looks: MenuItem[] = themes.map(([name, label, icon]) => ({
    label,
    icon,
    checked: theme === name,
    run: () => {
      setTheme(name);
      show(name);
      // The choice also holds on this person's other devices; here it holds in any case.
      void send('/portal/v1/me', { method: 'PATCH', body: { theme: name } }).catch(() => {});
    },
  }));
  return (
    <Menu
      label="Account and theme"
      className="btn btn-quiet max-w-[240px] min-w-0 gap-2.5 px-2"
      head={
        <>
          <p className="font-medium">{me.person.name}</p>
          <p className="text-sm break-all text-muted">{me.person.email}</p>
        </>
      }
      items={[
        ...accounts,
        'line',
        ...looks,
        'line',
        { label: 'Security', icon: 'shield', run: () => void navigate({ to: '/me/security' }) },
        {
          label: 'Sign out',
          icon: 'out',
          run: () => {
            client.clear();
            void signOut().catch(() => toast('Signing out failed. Try again.'));
          },
        },
      ]}
    >
      <span
        aria-hidden="true"
        className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent-ink"
      >
        {me.person.name
          .split(/\s+/)
          .slice(0, 2)
          .map((word) => word.slice(0, 1).toUpperCase())
          .join('')}
      </span>
      <span className="truncate max-md:hidden">{account?.name ?? me.person.name}</span>
      <Icon name="down" className="max-md:hidden" />
    </Menu>
  );
}
