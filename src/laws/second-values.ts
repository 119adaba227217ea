/** Other values for updates, for inputs of which the document alone does not say enough to make one. */
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import { laterThan, UNTRIED } from './ansible-values.ts';
import { endpoints, urlOf } from './walk.ts';

/** By resource and input: values for updates that neither an example nor a list has, because they depend on others. */
export const secondValues: Readonly<Record<string, unknown>> = {
  'interface.alias_ips': ['10.10.0.50'],
  'network.dns': { servers: ['10.10.0.53'], domain: 'law.example' },
  'backup_policy.schedule': { frequency: 'weekly', weekday: 'sun', hour: 5 },
  'budget.scope': { families: ['flexible-vps'] },
  'vpn_gateway.dns_servers': ['10.10.0.53'],
  'vpn_peer.endpoint': 'office.example.com:51820',
  'vpn_peer.expires_at': laterThan(),
  'vpn_peer.public_key': Buffer.alloc(32, 7).toString('base64'),
  'webhook.event_types': ['vm.*'],
  'webhook.secret_version': 2,
  'reverse_record.hostname': 'second.example.com',
  'vm.plan': 'flex-4-8',
  'vm.protection': { redeploy: true },
  'vm.user_data': '#cloud-config\nfqdn: law.example\n',
};

type Members = Readonly<Record<string, unknown>>;

/** By input, for lists of ids: one that the list of `x-ref` has, and that the resource does not have yet. */
async function listedValues(
  { inputs }: ManagedResource,
  shown: Members,
  read: (url: string) => Promise<Members>,
): Promise<Members> {
  const found: Record<string, unknown> = {};
  for (const { name, type } of inputs) {
    const ref = type.kind === 'list' ? type.items.ref : undefined;
    const list = endpoints.find(({ id }) => id === ref?.list);
    if (ref === undefined || list === undefined) continue;
    const filters = Object.entries(ref.filters ?? {}).map(([filter, { equals, from }]) => [
      filter,
      String(equals ?? shown[String(from).slice(1)]),
    ]);
    const { data } = await read(urlOf(list, {}, Object.fromEntries(filters)));
    const values = (data as readonly Members[]).map((row) => row[ref.value]);
    const other = values.find((value) => ![shown[name]].flat().includes(value));
    if (other !== undefined) found[name] = [other];
  }
  return found;
}

/** By input: the values of `secondValues` and those that are listed, except for inputs that cannot be tried. */
export async function valuesFor(
  resource: ManagedResource,
  shown: Members,
  read: (url: string) => Promise<Members>,
): Promise<Members> {
  const listed = await listedValues(resource, shown, read);
  const tried = resource.inputs.filter(({ name }) => !UNTRIED.includes(`${resource.name} ${name}`));
  const values = tried.map(({ name }) => [name, secondValues[`${resource.name}.${name}`] ?? listed[name]]);
  return Object.fromEntries(values);
}
