/** Creates real machines on a real Incus cluster and kills the cluster's leader meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../engines/compute/incus/client.ts';
import type { RawInstance } from '../../engines/compute/incus/driver-context.ts';
import { idOf, nameOf } from '../../engines/compute/incus/names.ts';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import { allEnded } from '../../testing/final-tables.ts';
import { startCluster, type TestCluster, type TestMember } from '../../testing/incus/cluster.ts';
import { type Ordered, PATIENCE, Place } from '../../testing/incus/place.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { demoFurniture } from '../../testing/incus/provider.ts';

const reason = whyNoIncus();
const MACHINES = 12;
/** The leader is killed once this many instances exist and the others are still being created. */
const ENOUGH = 3;

describe.skipIf(reason !== null)(
  `a cluster that loses its leader${reason === null ? '' : `: ${reason}`}`,
  () => {
    let cluster: TestCluster;
    let place: Place;
    let client: Client;
    let leader: TestMember;
    let ordered: readonly Ordered[];
    /** The machines on the killed member. */
    let stranded: ReadonlySet<string>;

    beforeAll(async () => {
      cluster = await startCluster(3, demoFurniture);
      leader = await cluster.leader();
      // The client calls the leader first, which is the member that is killed.
      const others = cluster.urls.filter((url) => url !== leader.url);
      client = new Client({ url: leader.url, others, credentials: null });
      const asked = { ...leader, client, stop: async () => undefined };
      place = await Place.on(asked, { other_urls: others });
    });
    afterAll(async () => {
      client?.close();
      await place?.close();
      await cluster?.stop();
    });

    const listed = (): Promise<readonly RawInstance[]> =>
      client.ask<readonly RawInstance[]>('GET', '/1.0/instances', {
        query: { recursion: 1, 'all-projects': 'true' },
      });
    const memberOf = (instance: RawInstance | undefined): TestMember | undefined =>
      cluster.members.find(({ name }) => name === instance?.location);
    const booked = () =>
      place.app.services.db.selectFrom('incus_machines').select(['machine_id', 'host']).execute();

    it('continues with all operations on other members, and with new ones', async () => {
      ordered = await Promise.all(Array.from({ length: MACHINES }, () => place.order()));
      await expect.poll(async () => (await listed()).length, PATIENCE).toBeGreaterThanOrEqual(ENOUGH);
      const unfinished = async () =>
        (
          await place.app.services.db
            .selectFrom('operations')
            .select('resource_id')
            .where('finished_at', 'is', null)
            .execute()
        ).map(({ resource_id }) => resource_id ?? '');
      await leader.kill();
      expect(await unfinished()).not.toEqual([]);
      const waiting = async () => {
        stranded = new Set(
          (await listed()).filter(({ location }) => location === leader.name).map(({ name }) => idOf(name)),
        );
        return (await unfinished()).filter((id) => !stranded.has(id));
      };
      await expect.poll(() => waiting().catch(() => ['nobody answers']), PATIENCE).toEqual([]);
      // While the cluster has no leader, orders answer `engine_unavailable` and callers retry.
      let late: Vm | undefined;
      const refusals = new Set<string>();
      const order = async () => {
        const answer = await place.askForOne();
        if (answer.statusCode === 202) late = answer.json<Vm>();
        else refusals.add(answer.json<{ code: string }>().code);
        return late;
      };
      await expect.poll(order, PATIENCE).toBeDefined();
      expect([...refusals].filter((code) => code !== 'engine_unavailable')).toEqual([]);
      expect(await place.endOf(late?.operation?.id ?? '')).toMatchObject({
        status: 'succeeded',
        error: null,
      });
      const made = (await listed()).find(({ name }) => name === nameOf(late?.id ?? ''));
      expect(made?.location).not.toBe(leader.name);
    });

    it('has lost and repeated nothing when the leader is back', async () => {
      await leader.start();
      await allEnded(place.app.services.db, PATIENCE.timeout);
      const vms = (await place.vps.send('GET', 'vms?limit=100')).json<{ data: readonly Vm[] }>().data;
      expect(vms).toHaveLength(MACHINES + 1);
      for (const { operation } of ordered)
        expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });
      const all = await listed();
      expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
      const instances = new Map(all.map((instance) => [idOf(instance.name), instance]));
      const names = [...instances.keys()];
      expect(names.sort()).toEqual(vms.map(({ id }) => id).sort());
      expect(new Set(vms.map(({ primary_ipv4 }) => primary_ipv4)).size).toBe(vms.length);
      const book = await booked();
      expect(book.map(({ machine_id }) => machine_id).sort()).toEqual(names.sort());
      for (const { machine_id, host } of book) expect(instances.get(machine_id)?.location).toBe(host);
      for (const { id, primary_ipv4, hostname } of vms) {
        const page = () => memberOf(instances.get(id))?.fetch(`http://${primary_ipv4}/`);
        await expect.poll(() => page()?.catch(() => ''), PATIENCE).toContain(hostname);
      }
      await place.removeAll();
    });
  },
);
