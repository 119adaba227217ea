/**
 * What is made by hand where people would rather look than read facts. Everything else is made from the document. Each
 * part is a file of its own that is loaded when it is shown.
 */
import { type ComponentType, lazy, Suspense } from 'react';
import type { Found, Override } from '../../resource/detail.tsx';
import { Skeleton } from '../../ui/states.tsx';

function shown<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Part = lazy(load);
  return (props: Props) => (
    <Suspense fallback={<Skeleton rows={3} />}>
      <Part {...props} />
    </Suspense>
  );
}

const FirewallRules = shown<{ found: Found }>(() => import('./firewall/rules-tab.tsx'));
const NetworkMembers = shown<{ found: Found }>(() => import('./network/members-tab.tsx'));
const PeerConfiguration = shown<{ found: Found }>(() => import('./vpn/configuration.tsx'));
const PeerConnection = shown<{ found: Found }>(() => import('./vpn/connection.tsx'));

export const overrides: Readonly<Record<string, Override>> = {
  vm: { main: ({ status }) => (status === 'stopped' ? ['Power on'] : ['Restart', 'Shutdown']) },
  firewall: {
    tabs: [{ slug: 'rules', title: 'Rules', show: (found) => <FirewallRules found={found} /> }],
  },
  network: {
    tabs: [{ slug: 'members', title: 'Members', show: (found) => <NetworkMembers found={found} /> }],
  },
  vpn_peer: {
    head: (found) => <PeerConnection found={found} />,
    tabs: [{ slug: 'config', title: 'Configuration', show: (found) => <PeerConfiguration found={found} /> }],
  },
};
