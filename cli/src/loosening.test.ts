/**
 * Changes that open more than before, take a protection away, or lose something for good are confirmed like deletions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ works: true });
  for (const line of [
    'firewall create --name web',
    'firewall create --name door',
    'volume create --name data --location fra1 --size-gb 10 --protection.delete --wait',
    'vm create --name app --location fra1 --plan flex-2-4 --image debian-12 --wait',
    'budget set team --amount 100.00 --thresholds percent=80',
    'backup-policy create --name nightly --schedule.frequency daily --schedule.hour 2 --retention.keep-last 14',
  ])
    expect(await site.line(line)).toMatchObject({ code: 0 });
});
afterAll(() => site.close());

/** A command, the sentence about what it loosens, and the name that confirms it. */
const commands: readonly (readonly [line: string, says: RegExp, name: string])[] = [
  ['firewall update web --default-in allow', /Loosens: the firewall "web" .+/, 'web'],
  [
    'firewall add-rule door --direction in --action allow --protocol tcp --ports 22',
    /Loosens: the firewall "door" opens tcp 22 .+/,
    'door',
  ],
  ['volume update data --no-protection.delete', /Loosens: takes the protection .+ "data"/, 'data'],
  ['budget set team --amount 500.00 --thresholds percent=80', /Loosens: .+500/, 'team'],
  ['backup-policy update nightly --retention.keep-last 2', /Loosens: .+/, 'nightly'],
];

describe.each(commands)('%s', (line, says, name) => {
  it('without a terminal is refused with what it loosens and the command to repeat', async () => {
    const { code, out, err } = await site.line(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err).toMatch(/this loosens a protection\.\n/);
    expect(err.endsWith(`Nothing was changed. Repeat with:\n  hostplane ${line} --confirm ${name}\n`)).toBe(
      true,
    );
  });

  it('in a terminal asks for the name, and changes nothing without it', async () => {
    const { code, err, asked } = await site.line(line, { answers: ['no'] });
    expect([code, err, asked.length]).toEqual([2, expect.stringMatching(says), 1]);
    expect(err).toContain(`That is not "${name}". Nothing was changed.`);
  });

  it('refuses another name, and is done with the right one', async () => {
    const wrong = await site.line(`${line} --confirm other`);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(`"${name}". Nothing was changed.`)]);
    expect((await site.line(`${line} --dry-run`)).out).toMatch(says);
    expect((await site.line(`${line} --confirm ${name}`)).code).toBe(0);
  });
});

it('a change that loosens nothing is not asked about', async () => {
  const tighter = await site.line('firewall update web --default-in drop');
  expect([tighter.code, tighter.err]).toEqual([0, expect.not.stringContaining('oosens')]);
  expect((await site.line(['volume', 'update', 'data', '--description', 'Data'])).code).toBe(0);
});

it('a call by the id of its operation is repeated as such', async () => {
  const line = 'api updateVpsFirewall web --default-in allow';
  const { err } = await site.line(line);
  expect(err.endsWith(`Repeat with:\n  hostplane ${line} --confirm web\n`)).toBe(true);
  expect((await site.line(`${line} --confirm web`)).code).toBe(0);
  expect((await site.line('firewall update web --default-in drop')).code).toBe(0);
});

describe('a command with a secret in it', () => {
  const redeploy = ['vm', 'redeploy', 'app', '--image', 'debian-12'];
  const secret = JSON.stringify({ user_data: '#secret' });

  it.each([
    ['as a flag', [...redeploy, '--user-data', '#secret']],
    ['as a flag with its value', [...redeploy, '--user-data=#secret']],
    ['in a body', ['vm', 'redeploy', 'app', '--image', 'debian-12', '--body', secret]],
  ])('%s is not printed, and says how to confirm it', async (_, line) => {
    const { code, err } = await site.line(line);
    expect([code, err]).toEqual([2, expect.stringContaining('Repeat the command with --confirm app.')]);
    expect(err).not.toContain('secret');
  });

  it('that is read from a file is printed as it was typed', async () => {
    const { err } = await site.line([...redeploy, '--user-data', '@-'], { input: '#cloud-config' });
    expect(err).toContain('--user-data @- --confirm app');
  });
});

it('only calls that may loosen something are rehearsed', async () => {
  const { err } = await site.line('ssh-key list --verbose');
  expect(err).not.toContain('dry_run');
  const made = await site.line('placement-group create --name group --location fra1 --verbose');
  expect([made.code, made.err]).toEqual([0, expect.not.stringContaining('dry_run')]);
  const changed = await site.line('firewall update web --default-in drop --verbose');
  expect(changed.err.match(/dry_run=true/g)).toHaveLength(1);
  const confirmed = await site.line('firewall update web --default-in allow --confirm web --verbose');
  expect([confirmed.code, confirmed.err]).toEqual([0, expect.not.stringContaining('dry_run')]);
});

it('a deletion that opens machines or ends their backups says so beside what is lost', async () => {
  for (const line of [
    'firewall create --name guard',
    'firewall attach guard --target.type vm --target.id app --wait',
    'vm update app --backup-policy nightly',
  ])
    expect(await site.line(line)).toMatchObject({ code: 0 });
  const opened = await site.line('firewall delete guard --detach');
  expect(opened.err).toMatch(/delete firewall guard: .+\n.*Loosens: .+ for 1 machine/);
  const unsaved = await site.line('backup-policy delete nightly --detach');
  expect(unsaved.err).toMatch(/delete backup policy nightly: .+\n.*Loosens: .+"app".+/s);
});

describe('a change that loses something for good', () => {
  it.each([
    ['vm power-off app', /stop vm app: .+ not yet written to its disk\./],
    ['vm reset-password app', /update vm app: The present password of /],
  ])('%s is confirmed with the name', async (line, says) => {
    const refused = await site.line(line);
    expect([refused.code, refused.out, refused.err]).toEqual([2, '', expect.stringMatching(says)]);
    expect(refused.err).toContain('this takes something away for good.');
    expect(refused.err.endsWith(`Repeat with:\n  hostplane ${line} --confirm app\n`)).toBe(true);
  });

  it('is made with the name', async () => {
    expect((await site.line('vm power-off app --confirm app --wait')).code).toBe(0);
    expect((await site.line('vm power-on app --wait')).code).toBe(0);
  });

  it('is not one that asks the guest to shut down', async () => {
    expect((await site.line('vm shutdown app --wait')).code).toBe(0);
  });
});
