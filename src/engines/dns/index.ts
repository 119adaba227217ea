/** The DNS port: the nameserver that has the names of a location's addresses. */
import type { Port } from '../port.ts';
import { examineDns } from './doctor.ts';
import { openDns } from './open.ts';
import type { ReverseDns } from './port.ts';
import { dnsFaults } from './sandbox/faults.ts';
import { DnsSettings } from './settings.ts';
import { checkDns } from './settings-check.ts';

export const dns: Port<'dns', ReverseDns, DnsSettings> = {
  name: 'dns',
  member: 'reverse_dns',
  Settings: DnsSettings,
  check: checkDns,
  files: { api_key_file: 'when_used', ca_file: 'when_used' },
  open: openDns,
  examine: examineDns,
  sandbox: {
    settings: () => ({ driver: 'sandbox' }),
    simulates: ({ driver }) => driver === 'sandbox',
    faults: dnsFaults,
  },
};
