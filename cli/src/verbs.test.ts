/** The words that people type: short verbs, verbs of other programs, short names of flags. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Document } from './document/document.ts';
import { meaningsOf, usualVerbs } from './document/usual-verbs.ts';
import { find } from './lookup.ts';
import { openSite, type Site } from './testing/site.ts';

const document = new Document(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')),
);

const commandFor = (line: string): string => {
  const found = find(document, line.split(' '), []);
  if (!('operation' in found)) throw new Error(`${line} is a group`);
  const { id, choice } = found.operation;
  return choice === undefined ? id : `${id} ${choice.value}`;
};

describe('verbs', () => {
  it.each([
    ['vm start', 'performVmAction power_on'],
    ['vm stop', 'performVmAction shutdown'],
    ['vm restart', 'performVmAction restart'],
    ['vm reboot', 'performVmAction restart'],
    ['vm poweroff', 'performVmAction power_off'],
    ['vm ls', 'listVms'],
    ['vm rm', 'deleteVm'],
    ['vm describe', 'getVm'],
    ['flexible-vps volumes attach', 'performVpsVolumeAction attach'],
    ['volume resize', 'performVpsVolumeAction resize'],
    ['volume perform-action', 'performVpsVolumeAction'],
    ['vm resize', 'resizeVm'],
    ['vm restore', 'restoreVm'],
    ['api-key rm', 'revokeApiKey'],
    ['interface add', 'attachVmInterface'],
    ['firewall detach', 'detachVpsFirewall'],
    ['firewall remove-rule', 'removeVpsFirewallRule'],
    ['ls vm', 'listVms'],
    ['delete vm', 'deleteVm'],
  ])('%s leads to %s', (line, expected) => {
    expect(commandFor(line)).toBe(expected);
  });

  it('are used by at least one resource', () => {
    const verbs = new Set(document.commands.flatMap(({ words }) => [words.verb, words.otherVerb]));
    const unused = usualVerbs.flatMap(meaningsOf).filter((verb) => !verbs.has(verb));
    expect(unused).toEqual([]);
  });

  it('of other resources are not suggested if they only look alike', () => {
    expect(() => find(document, ['volume', 'restart'], [])).toThrow(
      /"volume" has no "restart"\. It has .+ "restart" is a command for vm\.$/,
    );
    expect(() => find(document, ['volume', 'restart'], [])).not.toThrow(/mean restore/);
    expect(() => find(document, ['vm', 'strat'], [])).toThrow('Did you mean start?');
    expect(() => find(document, ['vm', 'restrat'], [])).toThrow('Did you mean restart?');
  });

  it.each([
    ['vm rest', 'Did you mean restart?'],
    ['vm resta', 'Did you mean restart?'],
    ['server ls', 'There is no command "server". Did you mean hostplane vm list?'],
    ['droplet delete web', 'Did you mean hostplane vm delete web?'],
    ['security-group', 'Did you mean hostplane firewall?'],
    ['ls nothing', 'There is no command "ls".'],
  ])('%s: %s', (line, expected) => {
    expect(() => find(document, line.split(' '), [])).toThrow(expected);
  });

  it('are the same in the outline, from which help is made', () => {
    const names = ({ commands }: Document) => commands.map(({ id, words }) => `${id} ${words.verb}`);
    expect(names(new Document(document.outline))).toEqual(names(document));
  });
});

describe('on a server', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ works: true });
    const made = await site.line(
      'vm create --name web --location fra1 --plan flex-2-4 --image ubuntu-24.04 --wait --query source.id',
    );
    expect([made.code, made.out]).toEqual([0, 'ubuntu-24.04\n']);
  });
  afterAll(() => site.close());

  it('stop, start and restart a machine', async () => {
    for (const [verb, status] of [
      ['stop', 'stopped'],
      ['start', 'running'],
      ['restart', 'running'],
    ]) {
      const { code, out, err } = await site.line(`vm ${verb} web --wait --query status`);
      expect([verb, code, out, err]).toEqual([verb, 0, `${status}\n`, expect.any(String)]);
    }
  });

  it('a volume is attached and resized by an argument or a flag, not by both', async () => {
    await site.line('volume create --name data --location fra1 --size 10 --wait');
    expect(await site.line('volume attach data web --wait')).toMatchObject({ code: 0 });
    const grown = await site.line('volume resize data 20 --wait --query size_gb');
    expect([grown.code, grown.out]).toEqual([0, '20\n']);
    const flagged = await site.line('volume resize data --size 30 --wait --query size_gb');
    expect([flagged.code, flagged.out]).toEqual([0, '30\n']);
    const twice = await site.line('volume resize data 40 --size 40');
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('Give one of them')]);
    const foreign = await site.line('volume resize data 40 --vm web');
    expect([foreign.code, foreign.err]).toEqual([2, expect.stringContaining('no flag --vm')]);
  });

  it('parts without a name are named by what they belong to or contain', async () => {
    await site.line('firewall create --name door');
    const rule = '--direction in --action allow --protocol tcp --confirm door --wait';
    for (const line of [
      'firewall attach door --target.type vm --target.id web --wait',
      `firewall add-rule door --ports 22 ${rule}`,
      `firewall add-rule door --ports 443 ${rule}`,
    ])
      expect(await site.line(line)).toMatchObject({ code: 0 });
    expect(await site.line('firewall remove-rule door 22 --wait')).toMatchObject({ code: 0 });
    const left = await site.line('firewall get door --query rules[].ports -o json');
    expect(JSON.parse(left.out)).toEqual([['443']]);
    const other = await site.line('firewall-attachment detach door wbe');
    expect([other.code, other.err]).toEqual([
      5,
      expect.stringMatching(
        /^There is no firewall attachment for "wbe"\. There are:\n {2}ID +TARGET .*\n {2}fwa_\w+ +vm web .*\n$/,
      ),
    ]);
    const asked = await site.line('firewall detach door web', { answers: ['web'] });
    expect([asked.code, asked.asked]).toEqual([
      0,
      ['To confirm, type the name of the firewall attachment (web): '],
    ]);
    expect((await site.line('firewall get door --query attachments -o json')).out).toBe('[]\n');
  });

  it('refusals name commands, flags and values', async () => {
    await site.line('vm stop web --wait');
    const stopped = await site.line('vm restart web');
    expect(stopped.err).toContain('Use hostplane flexible-vps vm power-on web.');
    const taken = await site.line('firewall create --name door');
    expect(taken.err).toContain('use the resource door.');
    const keyless = await site.line('vm list', { env: { HOSTPLANE_API_KEY: 'nonsense' } });
    for (const { err } of [stopped, taken, keyless])
      expect(err.replace(/\(\w+\)/, '')).not.toMatch(/\b[a-z]+_[a-z]+\b|X-API-Key/);
  });

  it('refusals name resources by their names, and the command that changes a protection', async () => {
    await site.line('vm create --name db --location fra1 --plan flex-2-4 --image ubuntu-24.04 --wait');
    await site.line('volume create --name logs --location fra1 --size 10 --vm web --wait');
    const held = await site.line('volume attach logs db');
    expect(held.err).toContain('Detach it from the resource web, or set --move');
    await site.line('vm update db --protection.delete');
    const kept = await site.line('vm delete db');
    expect(kept.err).toContain('The machine is protected: --protection.delete is set.\n');
    expect(kept.err).toContain('with: hostplane flexible-vps vm update db --no-protection.delete, then');
    const missing = await site.line('vm get');
    expect(missing.err).toBe(
      '<vm> is missing: its name or id. hostplane flexible-vps vm list lists them.\nUsage: hostplane flexible-vps vm get <vm>\n',
    );
    const unknown = await site.line(['vm', 'create', '--body', '{"foo":1}']);
    expect(unknown.err).toMatch(/ Known: name, hostname, .*disk_gb, /);
  });

  it('flags inside of a member are found by their last part, except for switches', async () => {
    const made = await site.line(
      'backup-policy create --name nightly --frequency daily --hour 2 --keep-last 3 --query retention.keep_last',
    );
    expect([made.code, made.out]).toEqual([0, '3\n']);
    const bare = await site.line('vm update web --delete');
    expect([bare.code, bare.err]).toEqual([
      2,
      'There is no flag --delete. Did you mean --protection.delete?\n',
    ]);
  });

  it('a sentence about what is lost begins without a full stop', async () => {
    await site.line('volume-snapshot create logs --name monday --wait');
    const { err } = await site.line('volume restore logs monday');
    expect(err).toMatch(/^Puts the content back to a snapshot of the volume: this takes something away\.\n/);
  });

  it('the help of a resource shows its verbs, and the words that lead to them', async () => {
    const { out } = await site.line('volume --help');
    expect(out).toMatch(/^ {2}attach <volume> \[vm\] +Attaches the volume/m);
    expect(out).toMatch(/Also understood: ls \(list\)/);
    expect((await site.line('vm --help')).out).toMatch(/^ {2}ssh <vm>/m);
    expect((await site.line('vm create --help')).out).toContain('--image, --source.image-id');
  });

  it('ssh gets the user of the image, the address of the machine, and what follows --', async () => {
    const { folder } = site.folders;
    const said = join(folder, 'said');
    writeFileSync(join(folder, 'ssh'), `#!/bin/sh\necho "$@" > ${said}\nexit 3\n`);
    chmodSync(join(folder, 'ssh'), 0o755);
    const { out: address } = await site.line('vm get web --query primary_ipv4');
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const { code } = await site.line('vm ssh web -- -v uptime', { env });
    expect([code, readFileSync(said, 'utf8')]).toEqual([3, `-l ubuntu ${address.trim()} -v uptime\n`]);
    await site.line('vm ssh web --user admin uptime', { env });
    expect(readFileSync(said, 'utf8')).toBe(`-l admin ${address.trim()} uptime\n`);
    const missing = await site.line('vm ssh wbe', { env });
    expect([missing.code, missing.err]).toEqual([5, expect.stringContaining('Did you mean web?')]);
  });
});
