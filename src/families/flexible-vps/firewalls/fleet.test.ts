/** A firewall of many machines: one call to the engine, whatever their number. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ComputeEngine } from '../../../engines/compute/port.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { newRuleId } from './resource.ts';
import type { Firewall } from './schema.ts';
import { jsonOf } from './store.ts';

const MACHINES = 1000;
const RULES = 200;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({
    provider: (config) => ({
      ...config,
      catalogue: {
        ...config.catalogue,
        limits: config.catalogue.limits.map((limit) =>
          limit.id === 'flexible-vps.rules-per-firewall' ? { ...limit, limit: RULES + 1 } : limit,
        ),
      },
    }),
  });
});
afterAll(() => app.close());

const rule = (port: number) => ({ direction: 'in', action: 'allow', protocol: 'tcp', ports: [String(port)] });

/** Copies the rows of a machine and of its interfaces, with other ids, names and hardware addresses. */
async function multiply(vmId: string): Promise<void> {
  const { db } = app.services;
  const idOf = (id: string) => sql`overlay(${sql.ref(id)} placing lpad(n::text, 4, '0') from 22)`;
  await sql`
    insert into vms select copy.* from vms, generate_series(2, ${MACHINES}) n,
      lateral jsonb_populate_record(vms, jsonb_build_object('id', ${idOf('vms.id')}, 'name', vms.name || n)) copy
    where vms.id = ${vmId}`.execute(db);
  await sql`
    insert into vm_interfaces select copy.* from vm_interfaces i, generate_series(2, ${MACHINES}) n,
      lateral jsonb_populate_record(i, jsonb_build_object('id', ${idOf('i.id')}, 'vm_id', ${idOf('i.vm_id')},
        'mac', ('02:00:00:00:' || lpad(to_hex(n / 256), 2, '0') || ':' || lpad(to_hex(n % 256), 2, '0')))) copy
    where i.vm_id = ${vmId}`.execute(db);
}

it(`applies a rule to ${MACHINES} machines with ${RULES} rules in one call`, async () => {
  const mine = await VpsAccount.open(app);
  const vm = await mine.vm({ labels: { role: 'web' } });
  await multiply(vm.id);
  const half = Array.from({ length: RULES / 2 }, (_, i) => rule(1000 + i));
  const made = await mine.send('POST', 'firewalls', { name: 'fleet', rules: half });
  const { id, rules } = made.json<Firewall>();
  await mine.do('POST', `firewalls/${id}/attachments`, {
    target: { type: 'label_selector', selector: 'role=web' },
  });
  // One request has at most 100 rules.
  const more = rules.map((each) => ({ ...each, id: newRuleId(), protocol: 'udp' as const }));
  await app.services.db
    .updateTable('firewalls')
    .set({ rules: jsonOf([...rules, ...more]) })
    .where('id', '=', id)
    .execute();
  const engine = app.services.compute.at('fra1') as Sandbox;
  const calls: string[] = [];
  const { run } = engine.core;
  engine.core.run = (asked) => {
    calls.push(asked.call);
    return run.call(engine.core, asked) as never;
  };
  try {
    await mine.do('POST', `firewalls/${id}/rules`, rule(22));
  } finally {
    engine.core.run = run;
  }
  expect(calls.filter((call) => call !== 'observeFirewall')).toEqual([
    'ensureFirewall' satisfies keyof ComputeEngine,
  ]);
  const seen = await engine.observeFirewall({ account: mine.account.id, id });
  expect(seen).toMatchObject({ rules: { length: RULES + 1 }, members: { length: MACHINES } });
  expect((await mine.send('GET', `firewalls/${id}`)).json()).toMatchObject({
    status: 'active',
    vm_count: MACHINES,
  });
});
