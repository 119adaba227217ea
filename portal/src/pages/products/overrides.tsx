/**
 * What is made by hand where people would rather look than read facts. Everything else is made from the document. Each
 * part is a file of its own that is loaded when it is shown.
 */
import type { Found, Override } from '../../resource/tabs.tsx';
import { shown } from './shown.tsx';

const Overview = shown<{ found: Found }>(() => import('./vm/overview.tsx'));
const Console = shown<{ found: Found }>(() => import('./vm/console.tsx'));
const Metrics = shown<{ found: Found }>(() => import('./vm/metrics.tsx'));
const VmBackups = shown<{ found: Found }>(() => import('./backups/vm-tab.tsx'));
const BackupOverview = shown<{ found: Found }>(() => import('./backups/overview.tsx'));
const BackupCompare = shown<{ found: Found }>(() => import('./backups/compare.tsx'));
const BackupDownload = shown<{ found: Found }>(() => import('./backups/download.tsx'));
const ImageOverview = shown<{ found: Found }>(() => import('./images/overview.tsx'));
const IsoOverview = shown<{ found: Found }>(() => import('./isos/overview.tsx'));
const IsoMachines = shown<{ found: Found }>(() => import('./isos/machines.tsx'));
const FirewallRules = shown<{ found: Found }>(() => import('./firewall/rules-tab.tsx'));
const NetworkMembers = shown<{ found: Found }>(() => import('./network/members-tab.tsx'));
const TicketConversation = shown<{ found: Found }>(() => import('./ticket/conversation.tsx'));
const PeerConfiguration = shown<{ found: Found }>(() => import('./vpn/configuration.tsx'));
const PeerConnection = shown<{ found: Found }>(() => import('./vpn/connection.tsx'));

export const overrides: Readonly<Record<string, Override>> = {
  vm: {
    main: ({ status }) => (status === 'stopped' ? ['Power on'] : ['Restart', 'Shutdown']),
    head: (found) => <Overview found={found} />,
    inHead: [
      'price',
      'primary_ipv4',
      'primary_ipv6',
      'vcpus',
      'memory_mb',
      'disk_gb',
      'plan',
      'location',
      'image',
      'backup_policy_id',
    ],
    withoutActs: ['createVmConsoleSession'],
    tabs: [
      { slug: 'console', title: 'Console', show: (found) => <Console found={found} /> },
      { slug: 'metrics', title: 'Metrics', show: (found) => <Metrics found={found} /> },
      { slug: 'backups', title: 'Backups', show: (found) => <VmBackups found={found} /> },
    ],
  },
  backup: {
    head: (found) => <BackupOverview found={found} />,
    inHead: [
      'created_at',
      'vm_id',
      'vm_name',
      'vm_deleted',
      'policy_id',
      'kind',
      'size_bytes',
      'sha256',
      'consistency',
      'expires_at',
      'failure',
      'download_links',
    ],
    tabs: [
      { slug: 'compare', title: 'Compare', show: (found) => <BackupCompare found={found} /> },
      { slug: 'download', title: 'Download', show: (found) => <BackupDownload found={found} /> },
    ],
  },
  image: {
    head: (found) => <ImageOverview found={found} />,
    inHead: ['source', 'failure', 'progress_percent', 'min_disk_gb', 'min_memory_mb', 'locations'],
  },
  iso: {
    head: (found) => <IsoOverview found={found} />,
    inHead: ['source_url', 'failure', 'progress_percent', 'mounted_on_count', 'locations'],
    tabs: [{ slug: 'vms', title: 'Machines', show: (found) => <IsoMachines found={found} /> }],
  },
  firewall: {
    tabs: [{ slug: 'rules', title: 'Rules', show: (found) => <FirewallRules found={found} /> }],
  },
  network: {
    tabs: [{ slug: 'members', title: 'Members', show: (found) => <NetworkMembers found={found} /> }],
  },
  ticket: {
    head: (found) => <TicketConversation found={found} />,
    inHead: ['subject', 'messages', 'message_count', 'last_message', 'resource_ids'],
  },
  vpn_peer: {
    head: (found) => <PeerConnection found={found} />,
    withoutActs: ['getVpnPeerConfig'],
    tabs: [{ slug: 'config', title: 'Configuration', show: (found) => <PeerConfiguration found={found} /> }],
  },
};
