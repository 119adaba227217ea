/** What people read: the page of a resource, tables with names, what a call would take away, and refusals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../../src/kernel/problems/catalogue.ts';
import { createKey } from '../../src/testing/accounts.ts';
import { inCommandWords } from './commands/command-words.ts';
import { Document } from './document/document.ts';
import { cell } from './output/cells.ts';
import { labelOf } from './output/labels.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
let document: Document;
beforeAll(async () => {
  site = await openSite({ works: true });
  for (const line of [
    'network create --name back --location fra1 --ipv4-cidr 10.20.0.0/24 --wait',
    'firewall create --name fw --rules direction=in,action=allow,protocol=tcp,ports=22',
    'vm create --name web --location fra1 --plan flex-2-4 --image ubuntu-24.04 --networks network_id=back --firewall fw --labels env=prod --wait',
    'volume create --name data --location fra1 --size 10 --vm web --wait',
  ])
    expect(await site.line(line)).toMatchObject({ code: 0 });
  const answer = await fetch(`${site.url}/openapi.json`);
  document = new Document((await answer.json()) as object);
});
afterAll(() => site.close());

it('the list of plans shows what each costs a month and an hour, in the currency of the account', async () => {
  const { out } = await site.line('plan ls');
  expect(out).toMatch(/^SLUG .* PRICE$/m);
  expect(out).toMatch(/^flex-2-4 .* 6\.80 EUR \(0\.\d+\/h\)$/m);
});

describe('the page of a resource', () => {
  it('shows important members first, names instead of ids, units, and no empty members', async () => {
    const { code, out } = await site.line('vm get web');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^Name +web$/);
    expect(lines[1]).toMatch(/^Status +running$/);
    expect(out).toMatch(/^Memory +4096 MB$/m);
    expect(out).toMatch(/^Volumes +data$/m);
    expect(out).toMatch(/^Firewalls +fw$/m);
    expect(out).toMatch(/^Protection +delete no, redeploy no$/m);
    expect(out).toMatch(/^Price +8\.00 EUR a month$/m);
    expect(out).toMatch(/^Interfaces\n {2}ID +KIND +NETWORK/m);
    expect(out).toMatch(/^ {2}nic_\w+ +private +back /m);
    expect(out).not.toMatch(/ -$|etag|vol_|fw_|net_/im);
    expect(lines.length).toBeLessThan(50);
  });

  it('shows all members with -o wide, and is unchanged for programs', async () => {
    const wide = await site.line('vm get web -o wide');
    expect(wide.out).toMatch(/^interfaces\.1\.network_id +net_\w+$/m);
    const id = JSON.parse((await site.line('volume get data -o json')).out).vm_id;
    expect(id).toMatch(/^vm_/);
    expect((await site.line('volume get data --query vm_id')).out).toBe(`${id}\n`);
  });

  it('of an operation shows the name of the key beside its id, and not the address of the call', async () => {
    const { out: id } = await site.line('operation list --limit 1 --query [0].id');
    const { out } = await site.line(`operation get ${id.trim()}`);
    expect(out).toMatch(/^ {2}API key +\S.* \(key_\w+\)$/m);
    expect(out).not.toMatch(/^Href/m);
  });

  it('shows the labels of parts after waiting for them, too', async () => {
    await site.line('network create --name other --location fra1 --ipv4-cidr 10.21.0.0/24 --wait');
    const { out } = await site.line('interface attach web --network other --wait');
    expect(out).toMatch(/^Kind +private\nNetwork +other\n/);
    await site.line('interface detach web other --confirm other --wait');
    expect(await site.line('network delete other --confirm other --wait')).toMatchObject({ code: 0 });
  });

  it('of a report shows more than its rows', async () => {
    const { code, out } = await site.line('usage get --group-by resource --limit 1');
    expect([code, out]).toEqual([0, expect.stringMatching(/^Currency +EUR$/m)]);
  });
});

describe('a part that does not exist', () => {
  it('is answered with a table of those that do', async () => {
    const { code, err } = await site.line('interface detach web nothing');
    expect([code, err]).toEqual([
      5,
      expect.stringMatching(/^There is no interface for "nothing"\. There are:\n/),
    ]);
    expect(err).toMatch(/^ {2}ID +KIND +NETWORK +IPV4 +IPV6 +MAC +STATUS$/m);
    expect(err).toMatch(/^ {2}nic_\w+ +private +back /m);
  });
});

describe('a table', () => {
  it('says in words what an object contains: a time, or counts', async () => {
    const lastUsed = { at: '2026-11-18T16:13:38.770Z', ip: '127.0.0.1', user_agent: 'hostplane-cli/0.1.0' };
    expect(cell(lastUsed)).toBe('2026-11-18T16:13:38Z');
    expect(cell({ ipv4_total: 252, ipv4_used: 0 })).toBe('ipv4 total 252, ipv4 used 0');
    expect(cell({ env: 'prod', role: 'web' })).toBe('env=prod,role=web');
  });

  it('keeps the plural of words such as key', () => {
    expect([labelOf('ssh_key_ids', {}), labelOf('policy_ids', {})]).toEqual(['SSH keys', 'Policies']);
  });

  it('shows names instead of ids, except to programs', async () => {
    expect((await site.line('volume list')).out).toMatch(/ VM\ndata .+ web\n$/);
    expect((await site.line('volume list -o json')).out).toMatch(/"vm_id": "vm_/);
  });

  it('shows ids to a key that may not read the inventory', async () => {
    const { db } = site.app.services;
    const { key } = await createKey(db, site.world.account, { permissions: ['flexible-vps:volumes:read'] });
    const { code, out, err } = await site.line('volume list', { env: { HOSTPLANE_API_KEY: key } });
    expect([code, out, err]).toEqual([0, expect.stringMatching(/ vm_\w+\n$/), '']);
  });

  it('has the columns that --columns names', async () => {
    const { out } = await site.line('vm list --columns name,price.monthly,labels.env');
    expect(out).toBe('NAME  PRICE MONTHLY  LABELS ENV\nweb   8.00           prod\n');
    const byHeading = await site.line('vm list --columns name,FIREWALLS');
    expect([byHeading.code, byHeading.out]).toEqual([0, expect.stringMatching(/^NAME +FIREWALLS\n/)]);
    const wrong = await site.line('vm list --columns nam');
    expect([wrong.code, wrong.err]).toEqual([2, 'There is no column "nam". Did you mean name?\n']);
    const json = await site.line('vm list --columns name -o json');
    expect([json.code, json.err]).toEqual([2, expect.stringContaining('--query')]);
  });
});

describe('a destructive call', () => {
  const losses = /this takes something away\.\n {2}delete vm web: All data on the disk \(80 GB\)/;

  it('without --confirm says what would be lost, before it asks', async () => {
    const { code, err } = await site.line('vm delete web');
    expect([code, err]).toEqual([2, expect.stringMatching(losses)]);
    expect(err).toMatch(
      /\n {2}detach volume data: .+\nNothing was changed\. Repeat with:\n {2}hostplane vm delete web --confirm web\n$/,
    );
    const asked = await site.line('vm delete web', { answers: ['no'] });
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(losses)]);
    expect((await site.line('vm get web -o name')).out).toBe('web\n');
  });

  it('that would be refused is refused before the question', async () => {
    const { code, err, asked } = await site.line('volume delete data', { answers: ['data'] });
    expect([code, asked]).toEqual([6, []]);
    expect(err).toContain('hostplane flexible-vps volume detach data, or add --detach ');
  });
});

describe('names', () => {
  it.each([
    ['vm', 'web'],
    ['network', 'back'],
  ])('are looked up in the type that other flags name: %s', async (type, name) => {
    const { code, out } = await site.line(
      `firewall attach fw --target.type ${type} --target.id ${name} --dry-run`,
    );
    expect([code, out]).toEqual([0, expect.stringContaining('this was a dry run')]);
    const { out: completed } = await site.line([
      'complete-words',
      '--',
      ...`firewall attach fw --target.type ${type} --target.id`.split(' '),
      '',
    ]);
    expect(completed.split('\t')[0]).toBe(name);
  });
});

describe('refusals at the command line', () => {
  const http =
    /\b(GET|POST|PUT|PATCH|DELETE|HTTP|URL|Retry-After|X-API-Key|Accept|Authorization)\b|header|\/v1\/|\?\w+=|\b(a|the|this|same|new|approved|identical) (call|request)\b(?! id)/;

  it('name commands and flags in every next step of the catalogue', () => {
    const left = Object.entries(problems)
      .map(([code, { next_step }]) => [code, inCommandWords(next_step, document)])
      .filter(([, text = '']) => http.test(text));
    expect(left).toEqual([]);
  });

  it('replace calls, actions and operations by commands', () => {
    const say = (text: string): string =>
      inCommandWords(text, document, { operation: document.find('getVpsVolume') });
    expect(say('GET /flexible-vps/v1/plans?resize_for=vm_1 shows them.')).toBe(
      'hostplane flexible-vps plan list --resize-for vm_1 shows them.',
    );
    expect(say('Use DELETE /flexible-vps/v1/vms/{id}/interfaces/{interface_id}, or add ?detach=true.')).toBe(
      'Use hostplane flexible-vps interface detach <vm> <interface>, or add --detach.',
    );
    expect(say('POST /flexible-vps/v1/vms/vm_1/redeploy (redeployVm) does.')).toBe(
      'hostplane flexible-vps vm redeploy vm_1 does.',
    );
    expect(say('with the action restore')).toContain('hostplane flexible-vps volume restore <volume>');
  });

  it('replace members by flags, also in the next step', async () => {
    const wrong = await site.line('vm update web --plan nope');
    expect(wrong.err).toContain('One flag is missing or not valid: --plan.');
    expect(wrong.err).toContain('Next step: Correct them, then repeat the command.');
    const taken = await site.line('volume create --name data --location fra1 --size 10');
    expect(taken.err).toMatch(/Next step: .*the resource data\./);
  });

  it('name commands also for a command that is not generated from the document', async () => {
    const { err } = await site.line('estimate vm --location nowhere --plan flex-2-4');
    expect(err).toContain('\n  --location: There is no location "nowhere"');
    expect(err).not.toMatch(http);
  });
});
