/**
 * Measures how long a new firewall rule takes: through Hostplane and by hand on a real OVN, and for few and many
 * machines of the sandbox.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Firewall } from '../../src/families/flexible-vps/firewalls/schema.ts';
import { openDatabase, openPool } from '../../src/store/database.ts';
import { UPLINK } from '../../src/testing/incus/ovn.ts';
import { startOvnDaemon } from '../../src/testing/incus/ovn-harness.ts';
import { whyNoOvn } from '../../src/testing/incus/programs.ts';
import { furnishForDemo, LOCATION, SYSTEM, writeProvider } from '../../src/testing/incus/provider.ts';
import { openFixture } from '../fixture.ts';
import { Customer } from '../machine-makers.ts';
import { median } from '../median.ts';
import { startProduct } from '../processes.ts';
import { AclHands, RuleHands } from '../rule-hands.ts';
import { setLogStatement } from '../store.ts';
import { bodyOf, CALLERS, writeProvider as writeSandboxProvider } from './creation.ts';
import type { Row } from './row.ts';
import { timed } from './timed.ts';

const FIREWALLS = '/flexible-vps/v1/firewalls';
const MOST_SLOWER = 1.15;
/** Statements that a server sends now and then by itself are in the counts, too. */
const SAME = 1.1;
const RULES = 200;
const FIRST_PORT = 1000;
const RULES_OF_A_REQUEST = 100;

const ruleOf = (port: number) =>
  ({ direction: 'in', action: 'allow', protocol: 'tcp', ports: [String(port)] }) as const;

/** Returns when the rule is in force. */
async function addRule(customer: Customer, id: string, port: number): Promise<string> {
  const path = `${FIREWALLS}/${id}/rules`;
  const { status, rules } = await customer.ask<Firewall>('POST', path, ruleOf(port), true);
  if (status !== 'active') throw new Error(`The firewall is ${status}.`);
  return rules.find(({ ports }) => ports.includes(String(port)))?.id ?? '';
}

const removeRule = (customer: Customer, id: string, rule: string): Promise<unknown> =>
  customer.ask('DELETE', `${FIREWALLS}/${id}/rules/${rule}`, undefined, true);

const attach = (customer: Customer, id: string, target: object): Promise<unknown> =>
  customer.ask('POST', `${FIREWALLS}/${id}/attachments`, { target }, true);

/** Someone who adds a rule and takes it away again; the rule is in force when `add` returns. */
interface Maker {
  add(port: number): Promise<string>;
  remove(rule: string): Promise<unknown>;
}

/** Makes a firewall for a network with one machine. */
async function prepareCustomer(customer: Customer): Promise<Maker> {
  const network = await customer.ask<{ id: string }>(
    'POST',
    '/flexible-vps/v1/networks',
    { name: 'bench', location: LOCATION, ipv4_cidr: '10.20.0.0/24' },
    true,
  );
  await customer.ask(
    'POST',
    '/flexible-vps/v1/vms',
    {
      name: 'bench',
      location: LOCATION,
      plan: 'flex-1-1',
      source: { type: 'image', image_id: SYSTEM },
      networks: [{ network_id: network.id }],
      public_ipv4: { mode: 'none' },
      public_ipv6: false,
    },
    true,
  );
  const body = { name: 'bench', rules: [ruleOf(FIRST_PORT)] };
  const { id } = await customer.ask<Firewall>('POST', FIREWALLS, body);
  await attach(customer, id, { type: 'network', id: network.id });
  return {
    add: (port) => addRule(customer, id, port),
    remove: (rule) => removeRule(customer, id, rule),
  };
}

/** The median of each maker, who take turns. */
async function takeTurns(makers: readonly Maker[], rounds: number): Promise<number[]> {
  const times = makers.map((): number[] => []);
  for (let i = 0; i <= rounds; i++)
    for (const [place, maker] of makers.entries()) {
      const { value, ms } = await timed(() => maker.add(2000 + i));
      await maker.remove(value);
      // The first of each warms up.
      if (i > 0) times[place]?.push(ms);
    }
  return times.map(median);
}

async function compareRules(
  customer: Customer,
  rules: RuleHands,
  acls: AclHands,
  rounds: number,
): Promise<Row[]> {
  const ours = await prepareCustomer(customer);
  await rules.learn(FIRST_PORT);
  await acls.prepare();
  const medians = await takeTurns([ours, acls, rules], rounds);
  const [own, byRest, byTransaction] = medians as [number, number, number];
  const times = (raw: number): string =>
    `p50 of ${rounds} in turns: ${Math.round(own)} ms ÷ ${Math.round(raw)} ms; OVN in user space`;
  return [
    {
      figure: 'apply a firewall rule ÷ the REST calls of the engine by hand',
      value: (own / byRest).toFixed(2),
      target: `≤ ${MOST_SLOWER}`,
      met: own / byRest <= MOST_SLOWER,
      context: times(byRest),
    },
    {
      figure: 'apply a firewall rule ÷ one change of OVN by hand',
      value: (own / byTransaction).toFixed(2),
      target: 'reported',
      met: true,
      context: times(byTransaction),
    },
  ];
}

async function measureOvn(
  bundle: string,
  newFolder: () => Promise<string>,
  isQuick: boolean,
): Promise<Row[]> {
  const reason = whyNoOvn();
  if (reason !== null)
    return [{ figure: 'firewall rules on OVN', value: 'not run', target: '', met: null, context: reason }];
  const { daemon, fabric } = await startOvnDaemon(furnishForDemo);
  try {
    const folder = await newFolder();
    const file = join(folder, 'provider.yaml');
    const { northbound } = fabric;
    const compute = { networks: 'ovn' as const, ovn_uplink: UPLINK, ovn_northbound: [northbound] };
    await writeFile(
      file,
      writeProvider(daemon, () => ({}), { compute }),
    );
    const product = await startProduct(bundle, {
      HOSTPLANE_DATA: join(folder, 'data'),
      HOSTPLANE_CONFIG: file,
    });
    const rules = new RuleHands(northbound);
    const acls = new AclHands(daemon, northbound);
    try {
      return await compareRules(new Customer(product), rules, acls, isQuick ? 10 : 50);
    } finally {
      rules.close();
      acls.close();
      await product.stop();
    }
  } finally {
    await daemon.stop();
  }
}

/** A firewall with 200 rules for all machines with the label. */
async function firewallOf(customer: Customer, role: string): Promise<string> {
  const rules = Array.from({ length: RULES_OF_A_REQUEST }, (_, i) => ruleOf(1000 + i));
  const { id } = await customer.ask<Firewall>('POST', FIREWALLS, { name: role, rules });
  for (let port = 1000 + RULES_OF_A_REQUEST; port < 1000 + RULES; port++) await addRule(customer, id, port);
  await attach(customer, id, { type: 'label_selector', selector: `role=${role}` });
  return id;
}

/** The engine is in the database, too, so that every request to it is counted. */
async function measureFleet(
  bundle: string,
  root: string,
  newFolder: () => Promise<string>,
  machines: number,
  rounds: number,
): Promise<Row> {
  const folder = await newFolder();
  const file = await writeSandboxProvider(root, folder);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/(rules-per-firewall,[^}]*limit: )\d+/, `$1${RULES * 2}`));
  const fixture = await openFixture(await newFolder(), { logs: [], fleets: [] });
  try {
    const env = { HOSTPLANE_DATA: fixture.folder, HOSTPLANE_CONFIG: file };
    const product = await startProduct(bundle, env);
    const db = openDatabase(openPool({ ...fixture.connection, maxConnections: 1 }));
    try {
      const customer = new Customer(product, fixture.caller.key);
      let next = 0;
      const make = async (): Promise<void> => {
        while (next <= machines) {
          const n = next++;
          const labels = { role: n === 0 ? 'one' : 'many' };
          await customer.ask('POST', '/flexible-vps/v1/vms', { ...bodyOf(n), labels }, true);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, make));
      const ids = { one: await firewallOf(customer, 'one'), many: await firewallOf(customer, 'many') };
      await setLogStatement(db, 'all');
      const counted = async (id: string, port: number) => {
        const { length } = await readFile(fixture.log, 'utf8');
        const { value, ms } = await timed(() => addRule(customer, id, port));
        const log = (await readFile(fixture.log, 'utf8')).slice(length);
        await removeRule(customer, id, value);
        return { ms, statements: log.match(/LOG: {2}(?:statement|execute [^:]*): /g)?.length ?? 0 };
      };
      const few: Awaited<ReturnType<typeof counted>>[] = [];
      const many: typeof few = [];
      for (let i = 0; i <= rounds; i++) {
        const pair = [await counted(ids.one, 9000 + i), await counted(ids.many, 9000 + i)] as const;
        if (i === 0) continue;
        few.push(pair[0]);
        many.push(pair[1]);
      }
      const statements = (side: typeof few): number => median(side.map((each) => each.statements));
      const ms = (side: typeof few): number => Math.round(median(side.map((each) => each.ms)));
      const ratio = statements(many) / statements(few);
      return {
        figure: `statements for one rule more, ${machines} machines ÷ one machine`,
        value: ratio.toFixed(2),
        target: `≤ ${SAME.toFixed(2)}`,
        met: ratio <= SAME,
        context: `p50 of ${rounds} alternating: ${statements(many)} ÷ ${statements(few)}, those of the sandbox engine included; ${RULES} rules; ${ms(many)} ms ÷ ${ms(few)} ms`,
      };
    } finally {
      await db.destroy();
      await product.stop();
    }
  } finally {
    await fixture.close();
  }
}

export async function measureFirewalls(
  bundle: string,
  root: string,
  newFolder: () => Promise<string>,
  isQuick: boolean,
): Promise<Row[]> {
  return [
    ...(await measureOvn(bundle, newFolder, isQuick)),
    await measureFleet(bundle, root, newFolder, isQuick ? 50 : 1000, isQuick ? 5 : 20),
  ];
}
