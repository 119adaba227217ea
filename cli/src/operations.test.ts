/** The commands of a machine's life, on the real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ works: true });
});
afterAll(() => site.close());

const machine = (name: string): string =>
  `vm create --name ${name} --location fra1 --plan flex-2-4 --source.image-id ubuntu-24.04`;

describe('a machine', () => {
  it('is created with --wait: progress on stderr, the running machine with its password on stdout', async () => {
    const { code, out, err } = await site.line(`${machine('web')} --labels env=prod --wait -o json`);
    expect([code, err]).toEqual([0, expect.stringMatching(/^vm\.create web: .*usually 20 s\)\n/)]);
    const made = JSON.parse(out);
    expect(made).toMatchObject({ name: 'web', status: 'running', labels: { env: 'prod' } });
    expect(made.source).toEqual({ type: 'image', id: 'ubuntu-24.04' });
    expect(made.initial_credentials.password).toMatch(/.{8}/);
  });

  it('is read, changed and reset by its name', async () => {
    expect((await site.line('flexible-vps vm get web -o name')).out).toBe('web\n');
    const changed = await site.line(['vm', 'update', 'web', '--description', 'A web server', '-o', 'json']);
    expect(JSON.parse(changed.out)).toMatchObject({ description: 'A web server' });
    const reset = await site.line('vm update web --unset description --query description -o json');
    expect([reset.code, reset.out]).toEqual([0, '""\n']);
  });

  it('loses one label by the value null or by --unset, and all labels by --unset labels', async () => {
    const labels = async (flags: string) =>
      JSON.parse((await site.line(`vm update web ${flags} --query labels -o json`)).out);
    expect(await labels('--labels a=1 --labels b=2')).toEqual({ env: 'prod', a: '1', b: '2' });
    expect(await labels('--labels a=null')).toEqual({ env: 'prod', b: '2' });
    expect(await labels('--unset labels.b')).toEqual({ env: 'prod' });
    expect(await labels('--labels {"text":"null"}')).toEqual({ env: 'prod', text: 'null' });
    expect(await labels('--unset labels')).toEqual({});
    expect(await labels('--labels env=prod')).toEqual({ env: 'prod' });
  });

  it('leaves its backup policy by the short name of the flag', async () => {
    await site.line('backup-policy create --name nightly --frequency daily --hour 2 --keep-last 7');
    const policy = async (flags: string) =>
      JSON.parse((await site.line(`vm update web ${flags} --query backup_policy_id -o json`)).out);
    expect(await policy('--backup-policy nightly')).toMatch(/^bpol_/);
    expect(await policy('--unset backup-policy --confirm web')).toBeNull();
    await site.line('backup-policy delete nightly --confirm nightly');
  });

  it('is meant by the next step of a refusal, with its name', async () => {
    await site.line('vm update web --protection.delete');
    const { code, err } = await site.line('vm delete web --confirm web');
    expect([code, err]).toEqual([6, expect.not.stringContaining('<vm>')]);
    const next = /Next step: .*hostplane (flexible-vps vm update web --no-protection\.delete)/.exec(err)?.[1];
    expect(await site.line(`${next} --confirm web -o name`)).toMatchObject({ code: 0, out: 'web\n' });
  });

  it('is waited for in every command, also where the work is done at once', async () => {
    for (const line of [
      'vm update web --description waited --wait -o name',
      'vm list -o name --wait --timeout 5',
      'vm get web --wait -o name',
      'contexts --wait',
      'ssh-key list --wait',
      'how --wait restart a machine',
    ])
      expect([line, (await site.line(line)).err]).not.toEqual([line, expect.stringContaining('no flag')]);
    const made = await site.line('placement-group create --name waiting --location fra1 --wait -o name');
    expect([made.code, made.out, made.err]).toEqual([0, 'waiting\n', '']);
  });

  it('can be named in nested commands: its snapshots are addressed by two names', async () => {
    const made = await site.line('snapshot create web --name monday --wait --query status');
    expect([made.code, made.out]).toEqual([0, 'available\n']);
    const read = await site.line('snapshot get web monday --query name');
    expect([read.code, read.out]).toEqual([0, 'monday\n']);
    const copied = await site.line(
      'vm create --name copy --location fra1 --plan flex-2-4 --source.vm-id web --source.snapshot-id monday --dry-run',
    );
    expect([copied.code, copied.out]).toEqual([0, expect.stringContaining('Creates the machine "copy".')]);
  });

  it('is deleted only with its name, and is then gone', async () => {
    const refused = await site.line('vm delete web');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('Repeat with:\n  hostplane vm delete web --confirm web'),
    ]);
    const wrong = await site.line('vm delete web --confirm wbe');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Nothing was changed')]);
    const asked = await site.line('vm delete web', { answers: ['wbe'] });
    expect([asked.code, asked.asked.length]).toEqual([2, 1]);
    const deleted = await site.line('vm delete web --wait', { answers: ['web'] });
    expect([deleted.code, deleted.out]).toEqual([0, '']);
    const gone = await site.line('vm get web');
    expect([gone.code, gone.err]).toEqual([5, expect.stringContaining('There is no vm "web"')]);
  });
});

describe('a dry run', () => {
  it('prints the effects and the price, and changes nothing', async () => {
    const { code, out } = await site.line(`${machine('dry')} --dry-run`);
    expect([code, out]).toEqual([
      0,
      'Creates the machine "dry".\nCost: +8.00 EUR a month (+0.011700 an hour), without tax.\nNothing was changed: this was a dry run.\n',
    ]);
    expect((await site.line('vm list -o json')).out).not.toContain('"dry"');
  });

  it('describes what it would change first, and marks what loosens', async () => {
    await site.line('firewall create --name web');
    const { code, out } = await site.line(
      'firewall add-rule web --direction in --action allow --protocol tcp --ports 22 --dry-run',
    );
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Loosens: the firewall "web" opens tcp 22 to everybody for no machine yet\.\n/),
    ]);
  });

  it('of a call that destroys needs no confirmation', async () => {
    await site.line('placement-group create --name group --location fra1');
    const { code, out } = await site.line('placement-group delete group --dry-run');
    expect([code, out]).toEqual([0, expect.stringContaining('Would delete placement group group.')]);
  });
});

describe('a refusal', () => {
  it('7: names each wrong flag, the next step and the request id', async () => {
    const { code, err, out } = await site.line('vm create --name web');
    expect([code, out]).toEqual([7, '']);
    expect(err).toMatch(/^Request not valid \(validation_failed\)/);
    expect(err).toContain('  --location: This is required.');
    expect(err).toMatch(/\nNext step: .+\nRequest id: req_\w+\n$/);
  });

  it('5: an id that does not exist', async () => {
    const { code, err } = await site.line('vm get vm_01jqzv2m7xe9rs5d3k8w4t6y0b');
    expect([code, err]).toEqual([5, expect.stringContaining('(not_found)')]);
  });

  it('6: a name that is taken', async () => {
    await site.line('placement-group create --name twice --location fra1');
    const { code, err } = await site.line('placement-group create --name twice --location fra1');
    expect([code, err]).toEqual([6, expect.stringContaining('(name_taken)')]);
  });

  it('2: a body that is no JSON', async () => {
    const { code, err } = await site.line('vm create --body not-json');
    expect([code, err]).toEqual([2, expect.stringContaining('--body is no JSON')]);
  });
});

describe('lists', () => {
  it('are printed as table, wide table, JSON, YAML and names', async () => {
    for (const name of ['b-group', 'a-group'])
      await site.line(`placement-group create --name ${name} --location fra1 --labels list=yes`);
    const list = 'placement-group list --label-selector list=yes --sort name';
    const table = (await site.line(list)).out.split('\n');
    expect(table[0]).toMatch(/^NAME +LOCATION/);
    expect(table[1]).toMatch(/^a-group +fra1/);
    expect((await site.line(`${list} -o wide`)).out).toMatch(/^ID .*LABELS/);
    const rows = JSON.parse((await site.line(`${list} -o json`)).out);
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(['a-group', 'b-group']);
    expect((await site.line(`${list} --json`)).out).toBe((await site.line(`${list} -o json`)).out);
    expect((await site.line(`${list} -o yaml`)).out).toMatch(/^- id: pg_/);
    expect((await site.line(`${list} -o name`)).out).toBe('a-group\nb-group\n');
    expect((await site.line(`${list} --query [].location`)).out).toBe('fra1\nfra1\n');
    expect((await site.line('vm list --label-selector list=no -o json')).out).toBe('[]\n');
  });

  it('stop at --limit and say how to go on', async () => {
    const list = 'placement-group list --label-selector list=yes --sort name -o name';
    const first = await site.line(`${list} --limit 1`);
    expect(first.out).toBe('a-group\n');
    const cursor = /--cursor (\S+)/.exec(first.err)?.[1];
    expect((await site.line(`${list} --cursor ${cursor}`)).out).toBe('b-group\n');
  });

  it('have colours only on a terminal, and not with NO_COLOR', async () => {
    const start = '\u001b[';
    expect((await site.line('location list', { isTerminal: true })).out).toContain(start);
    expect((await site.line('location list')).out).not.toContain(start);
    const env = { NO_COLOR: '1' };
    expect((await site.line('location list', { isTerminal: true, env })).out).not.toContain(start);
  });
});

describe('an answer in a format other than JSON', () => {
  const config = 'vpn-peer get-config office laptop';

  it('is printed unchanged: the configuration of a VPN peer as text and as a picture', async () => {
    for (const line of [
      'network create --name back --location fra1 --ipv4-cidr 10.20.0.0/24 --wait',
      'vpn-gateway create --name office --location fra1 --network-ids back --wait',
      'vpn-peer create office --name laptop --confirm office',
    ])
      expect(await site.line(line)).toMatchObject({ code: 0 });
    const text = await site.line(`${config} --as text`);
    expect([text.code, text.out]).toEqual([0, expect.stringMatching(/^# laptop\.conf\n\[Interface\]\n/)]);
    const picture = await site.line(`${config} --as png`);
    expect([picture.code, picture.out.slice(1, 4)]).toEqual([0, 'PNG']);
    const json = await site.line(`${config} -o json --query file_name`);
    expect([json.code, json.out]).toEqual([0, '"laptop.conf"\n']);
  });

  it('of a peer that there is not names the list of its gateway', async () => {
    const { code, err } = await site.line('vpn-peer get-config office nobody-like-this');
    expect([code, err]).toEqual([5, expect.stringContaining('vpn-peer list office shows')]);
  });

  it('is refused on a terminal that cannot show it, and in a format that there is not', async () => {
    const shown = await site.line(`${config} --as png`, { isTerminal: true });
    expect([shown.code, shown.err]).toEqual([2, expect.stringContaining('--as png > file')]);
    const unknown = await site.line(`${config} --as pdf`);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('text, png')]);
  });
});
