import type { Fixture, Scenario, Walk } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { settle } from '../../../testing/operations.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { makeVm } from '../vms/fixture.ts';
import { newFirewallExample } from './example.ts';
import { applyFirewallKind } from './kinds.ts';
import { noteLocations } from './members/store.ts';
import { firewalls, newAttachmentId } from './resource.ts';
import { entriesOf, storedRules } from './rules.ts';
import type { Firewall } from './schema.ts';
import { insertAttachment, jsonOf } from './store.ts';

function columns() {
  const { rules } = storedRules({ warn: () => undefined }, newFirewallExample.rules ?? [], [], '/rules');
  return {
    default_in: 'drop',
    default_out: 'allow',
    rules: jsonOf(rules),
    entries: entriesOf(rules),
    status: 'active',
    status_reason: null,
    applied_at: null,
  } as const;
}

const insert = ({ app, account }: World, name: string, more: object = {}) =>
  app.services.db
    .insertInto('firewalls')
    .values({ id: firewalls.newId(), account_id: account.id, name, ...columns(), ...more })
    .returningAll()
    .executeTakeFirstOrThrow();

export async function makeFirewall(world: World): Promise<string> {
  const row = await insert(world, freshName());
  await firewalls.note(world.app.services.db, row, { apiKeyId: world.key.id });
  return row.id;
}

/** Attaches the firewall to a new machine, in the tables and at the engine. */
export async function attachFirewall(world: World, id: string): Promise<string> {
  const { app, account } = world;
  const { db } = app.services;
  const attachment = newAttachmentId();
  await insertAttachment(db, {
    id: attachment,
    account_id: account.id,
    firewall_id: id,
    vm_id: await makeVm(world),
    interface_id: null,
    network_id: null,
    selector: null,
    terms: null,
  });
  await noteLocations(db, { firewallId: id });
  const resource = { type: 'firewall', id, name: null };
  await runKind(app, applyFirewallKind, { accountId: account.id, resource, input: {} });
  return attachment;
}

/** Removes a rule or an attachment, as a customer does. */
export async function removePart(
  { app, key }: World,
  collection: 'rules' | 'attachments',
  id: string,
): Promise<void> {
  const base = '/flexible-vps/v1/firewalls';
  const list = await app.call({ method: 'GET', url: `${base}?limit=100`, key: key.key });
  const { data } = list.json<{ data: readonly Firewall[] }>();
  const owner = data.find((each) => each[collection].some((part) => part.id === id));
  const url = `${base}/${owner?.id}/${collection}/${id}`;
  const answer = await app.call({ method: 'DELETE', url, key: key.key });
  if (answer.statusCode !== 202) throw new Error(`DELETE ${url} ${answer.statusCode}: ${answer.body}`);
  await settle(app);
}

/** The crash matrix follows an attached firewall, so that the engine has work to do. */
const attached = (endpointId: string, query: object = {}): Scenario => ({
  async begin(world: World, walk: Walk) {
    const id = await makeFirewall(world);
    await attachFirewall(world, id);
    const answer = await walk.call(walk.endpoint(endpointId), world, { params: { id }, query: { ...query } });
    return walk.operationOf(world, answer);
  },
});

const filled = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** 100 rules, each with as many ports and ranges as it may have, and the longest description. */
const largestRules = () =>
  filled(100, (i) => ({
    direction: 'in',
    action: i % 7 === 0 ? 'drop' : 'allow',
    protocol: 'tcp',
    ports: filled(20, (j) => `${1000 + i * 500 + j * 10}-${1003 + i * 500 + j * 10}`),
    remote_cidrs: filled(50, (j) => `2001:db8:${(i + 1).toString(16)}:${(j + 1).toString(16)}::/64`),
    description: `Rule ${i}: für die Gäste im Büro, `.padEnd(255, 'die noch keinen eigenen Zugang haben '),
  }));

export const fixture: Fixture = {
  counted: {
    updateVpsFirewall: {
      'with more rules': async () => {
        const [rule] = newFirewallExample.rules ?? [];
        return { body: { rules: [rule, { ...rule, ports: ['80'] }] } };
      },
    },
  },
  collection: '/flexible-vps/v1/firewalls',
  make: makeFirewall,
  async fillOnce(world) {
    return makeFirewall(world);
  },
  async addRow(world, name) {
    await insert(world, name, { description: name, labels: { mark: name } });
  },
  largest: { updateVpsFirewall: () => ({ rules: largestRules() }) },
  scenarios: {
    'firewall.apply': attached('addVpsFirewallRule'),
    'firewall.delete': attached('deleteVpsFirewall', { detach: true }),
  },
};
