import { readFileSync } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from './testing/command-line.ts';
import { expectInOrder, partsOf, paste, type Step, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { startDaemon, type TestDaemon } from './testing/incus/daemon.ts';
import { buildImage } from './testing/incus/image.ts';
import { whyNoIncus } from './testing/incus/programs.ts';
import { openHttps } from './testing/incus/relay.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/running-on-incus.md'), 'utf8');
const steps = stepsOf(page);
const begun = steps.findIndex(({ chapter }) => chapter === 'The first machine');
const TIMEOUT_MS = 150_000;

/** Commands that cannot run here: a `bash` block that begins with one of them is left out. */
const LEFT_OUT = [
  'apt-get update', // changes the machine that runs the tests, and starts services
  'incus image copy',
  'incus storage volume import', // needs the internet
  'usermod', // changes the users of the machine
  'apt-get install -y ovn-central', // the chapter about OVN, which has tests of its own
  'incus launch debian-12 vpn-image', // needs the internet
  'HOSTPLANE_CONFIG=', // the test itself starts the server, on its own port
];

const reason =
  arch() === 'x64' ? whyNoIncus() : 'the page sells amd64 machines, and this is another kind of machine';

let folder: string;
let daemon: TestDaemon;
let server: ServerProcess | undefined;
let printed: string[] = [];

/** Replaces the folders of a real host by those of this test. */
const here = ({ commands, ...step }: Step): Step => ({ ...step, commands: placed(commands) });
const placed = (text: string): string =>
  text
    .replaceAll('/etc/hostplane', join(folder, 'etc'))
    .replaceAll('/srv/images', join(folder, 'images'))
    .replaceAll('/var/lib/incus', daemon.folder);

async function prepare(): Promise<Record<string, string>> {
  for (const name of ['etc', 'images', 'bin', 'client']) await mkdir(join(folder, name));
  await rename(await buildImage(join(folder, 'images')), join(folder, 'images', 'debian-12.tar'));
  const program = join(folder, 'bin', 'hostplane');
  const main = `exec ${process.execPath} --import tsx ${join(root, 'src/main.ts')} "$@"`;
  // Some machines limit open files below what a server needs, so the limit is raised.
  await writeFile(program, `#!/bin/sh\nulimit -n $(ulimit -H -n)\n[ "$1" = admin ] && shift\n${main}\n`);
  await chmod(program, 0o755);
  return {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    INCUS_DIR: daemon.folder,
    INCUS_CONF: join(folder, 'client'),
    HOSTPLANE_PORT: '0',
  };
}

describe('the page', () => {
  it('has no command block that is neither run nor left out on purpose', () => {
    const languages = [...page.matchAll(/^```(\w+)\n(.*)/gm)].map(([, language, line = '']) => [
      language,
      line,
    ]);
    const bash = languages.filter(([language]) => language === 'bash').map(([, line = '']) => line);
    expect(bash.map((line) => LEFT_OUT.find((start) => line.startsWith(start)))).toEqual(LEFT_OUT);
    const count = (name: string) => languages.filter(([language]) => language === name).length;
    expect([count('sh'), count('yaml')]).toEqual([steps.length, 2]);
    expect(count('text')).toBe(steps.filter(({ shown }) => shown !== '').length);
  });

  it('is linked from other pages', () => {
    for (const name of ['README.md', 'docs/operating.md'])
      expect(readFileSync(join(root, name), 'utf8')).toContain('running-on-incus.md)');
  });
});

const title = 'running a location on Incus';
describe.skipIf(reason !== null)(reason === null ? title : `${title}: ${reason}`, () => {
  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    daemon = await startDaemon();
    const environment = await prepare();
    const data = join(folder, 'data');
    const common = { folder: data, environment, timeoutMs: TIMEOUT_MS };
    const nobody = { url: 'http://127.0.0.1:8080', apiKey: undefined };
    printed = await paste({ server: nobody, ...common }, steps.slice(0, begun).map(here));
    server = await startServerOrFail(data, {
      ...environment,
      HOSTPLANE_CONFIG: join(folder, 'etc/hostplane.yaml'),
    });
    printed.push(...(await paste({ server, ...common }, steps.slice(begun).map(here))));
  }, 3 * TIMEOUT_MS);
  afterAll(async () => {
    await server?.end('SIGTERM');
    await daemon.stop();
    await removeTemporaryFolder(folder);
  });

  it.each(steps.map((step, i) => ({ ...step, i })))('$i: $chapter', ({ i, ...step }) => {
    expectInOrder(printed[i] ?? '', partsOf(step));
  });

  it('works over HTTPS as described', async () => {
    const relay = await openHttps(daemon);
    const [, text = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
    const file = join(folder, 'etc/hostplane.yaml');
    const config = parse(readFileSync(file, 'utf8'));
    config.catalogue.locations[0].compute = { ...parse(text).compute, url: relay.url };
    const other = join(folder, 'etc/https.yaml');
    await writeFile(other, JSON.stringify(config));
    const env = { HOSTPLANE_CONFIG: other, HOSTPLANE_PORT: '0', HOSTPLANE_DATA: join(folder, 'none') };
    const { out } = await runCommand(['doctor'], { env });
    await relay.stop();
    expectInOrder(out, partsOf(steps[begun - 1] as Step).slice(0, -1));
  });
});
