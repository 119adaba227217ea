/** `hostplane login` by browser, at the real server. The test does over HTTP what the browser would do. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveActs } from '../../src/surfaces/portal/routes.ts';
import { removeTemporaryFolder } from '../../src/testing/folder.ts';
import { createPerson, createSession, joinAccount } from '../../src/testing/people.ts';
import { computerName, waitForCode } from './browser/login.ts';
import { listenForCode } from './browser/loopback.ts';
import { contextsFile } from './contexts/contexts.ts';
import type { Io } from './io.ts';
import { programPath, start } from './testing/program.ts';
import { type Folders, makeFolders, openSite, runLine, type Setting, type Site } from './testing/site.ts';

let site: Site;
let folders: Folders;
let cookie: string;
beforeAll(async () => {
  site = await openSite({}, (server, app) => serveActs(server, app.services));
  folders = await makeFolders();
  const { db } = site.app.services;
  const person = await createPerson(db);
  await joinAccount(db, person, site.world.account.id, 'admin');
  cookie = `hp_session=${await createSession(db, person)}`;
});
afterAll(async () => {
  await site.close();
  await removeTemporaryFolder(folders.folder);
});

let serial = 0;

/** What the page of the portal does when the person allows the login. */
async function allow(address: URL, name = `cli-${++serial}`): Promise<string> {
  const { origin, searchParams } = address;
  const answer = await fetch(`${origin}/portal/v1/accounts/${site.world.account.id}/cli-logins`, {
    method: 'POST',
    headers: { origin, cookie, 'content-type': 'application/json' },
    body: JSON.stringify({
      challenge: searchParams.get('challenge'),
      computer: searchParams.get('computer'),
      name,
      preset: 'read-only',
      expires_in: '1d',
    }),
  });
  const { code } = (await answer.json()) as { code?: string };
  if (code === undefined) throw new Error(`The portal answered ${answer.status}.`);
  return code;
}

const bring = async (address: URL, answer: Record<string, string>): Promise<string> => {
  const { searchParams } = address;
  const query = new URLSearchParams({ state: searchParams.get('state') ?? '', ...answer });
  return (await fetch(`http://127.0.0.1:${searchParams.get('port')}/?${query}`)).text();
};

/** Runs a login in a terminal. `browse` is called with the address that it prints. */
async function login(words: string, browse: (address: URL) => Promise<void>, setting: Setting = {}) {
  let browsing: Promise<void> | undefined;
  const ran = await runLine(`login --url ${site.url} ${words}`.trim().split(' '), {
    answers: [],
    isTerminal: true,
    ...setting,
    env: { ...folders.env, BROWSER: 'true', ...setting.env },
    onError(text) {
      const [address] = /http:\S+cli-login\S+/.exec(text) ?? [];
      if (address !== undefined) browsing = browse(new URL(address));
    },
  });
  await browsing;
  return ran;
}

const context = async (name: string): Promise<{ key: string } | undefined> => {
  const text = await readFile(contextsFile(folders.env), 'utf8').catch(() => '{"contexts":{}}');
  return (JSON.parse(text) as { contexts: Record<string, { key: string }> }).contexts[name];
};

describe('a login by browser', () => {
  it('stores the key that the person has allowed, and shows it nowhere', async () => {
    let page = '';
    const { code, out, err } = await login('', async (address) => {
      expect(address.pathname).toBe('/portal/cli-login');
      expect(address.searchParams.get('computer')).toBe(computerName());
      page = await bring(address, { code: await allow(address, 'from-the-browser') });
    });
    expect([err, code]).toEqual([expect.stringMatching(/Logged in at [\s\S]*The key expires at 2/), 0]);
    expect(page).toContain('You can close this window');
    const stored = await context('default');
    expect(stored?.key).toMatch(/^hpk1_/);
    expect(`${out}${err}`).not.toContain(stored?.key);
    const who = await runLine(['account', 'whoami', 'get', '-o', 'json'], { env: folders.env });
    expect(JSON.parse(who.out).key.name).toBe('from-the-browser');
  });

  it('asks first, and Enter chooses the browser', async () => {
    const { code, asked } = await login('--context enter', async (address) => {
      await bring(address, { code: await allow(address) });
    });
    expect([code, asked[0]]).toEqual([0, expect.stringContaining('Press Enter to log in with the browser')]);
  });

  it('does not ask with --browser', async () => {
    const { code, asked } = await login('--browser --context chosen', async (address) => {
      await bring(address, { code: await allow(address) });
    });
    expect([code, asked]).toEqual([0, ['Code from the browser: ']]);
  });

  it('accepts a pasted code if there is no browser', async () => {
    let given: (code: string) => void = () => undefined;
    const pasted = new Promise<string>((resolve) => {
      given = resolve;
    });
    const { code, err } = await login(
      '--browser --context pasted',
      async (address) => {
        expect([...address.searchParams.keys()]).toEqual(['challenge', 'computer']);
        given(await allow(address));
      },
      { env: { BROWSER: '' }, answers: [() => pasted] },
    );
    expect([code, err]).toEqual([0, expect.stringContaining('Open this page in a browser')]);
    expect((await context('pasted'))?.key).toMatch(/^hpk1_/);
  });

  it('refuses a code without the right state', async () => {
    const { code } = await login('--browser --context state', async (address) => {
      for (const state of ['', 'wrong'])
        expect(await bring(address, { code: 'planted', state })).toContain('Nothing here');
      expect(await bring(address, {})).toContain('Nothing here');
      await bring(address, { code: await allow(address) });
    });
    expect(code).toBe(0);
  });
});

describe('a failed login by browser', () => {
  it('4: the person refused', async () => {
    const { code, err } = await login('--browser --context no', async (address) => {
      await bring(address, { error: 'refused' });
    });
    expect([code, err]).toEqual([4, expect.stringContaining('You refused the login in the browser.')]);
    expect(await context('no')).toBeUndefined();
  });

  it('3: a code of another command line', async () => {
    const { code, err } = await login('--browser --context no', async (address) => {
      const other = new URL(address);
      other.searchParams.set('challenge', 'A'.repeat(43));
      await bring(address, { code: await allow(other) });
    });
    expect([code, err]).toEqual([3, expect.stringContaining('The code does not work')]);
  });

  it('11: nobody allowed it in time', async () => {
    const io = { ask: () => new Promise(() => undefined), interrupted: new AbortController().signal };
    const loopback = await listenForCode('state');
    const waited = waitForCode(io as unknown as Io, loopback, 1).finally(() => loopback.close());
    await expect(waited).rejects.toMatchObject({ code: 11, message: expect.stringContaining('in time') });
  });

  it('130: Ctrl-C', async () => {
    const pressed = new AbortController();
    const { code, err } = await login('--browser', async () => pressed.abort(), {
      interrupted: pressed.signal,
    });
    expect([code, err]).toEqual([130, expect.stringContaining('Stopped.')]);
  });

  it('2: there is no browser and no code was given', async () => {
    const { code } = await login('--browser', async () => undefined, { env: { BROWSER: '' } });
    expect(code).toBe(2);
  });

  it('2: --browser without a terminal', async () => {
    const { code, err } = await login('--browser', async () => undefined, { answers: null });
    expect([code, err]).toEqual([2, expect.stringContaining('needs a terminal')]);
  });

  it('2: a key must not be typed where it can be seen', async () => {
    const { code, err } = await login('', async () => undefined, { answers: [site.key] });
    expect([code, err]).toEqual([2, expect.stringContaining('without showing it')]);
    expect(err).not.toContain(site.key);
  });

  it('names the created key if it cannot be used', async () => {
    const { db } = site.app.services;
    const set = (keys_suspended: boolean) =>
      db.updateTable('accounts').set({ keys_suspended }).where('id', '=', site.world.account.id).execute();
    const { code, err } = await login('--browser --context no', async (address) => {
      await set(true);
      await bring(address, { code: await allow(address, 'unused-key') });
    });
    await set(false);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('The key unused-key was made, but is not stored'),
    ]);
    expect(await context('no')).toBeUndefined();
  });
});

describe('in a real terminal', () => {
  /** The built program, which waits for the browser. */
  async function waiting(name: string) {
    const command = `${process.execPath} ${await programPath()} login --url ${site.url} --context ${name}`;
    const terminal = start('script', ['-qec', command, '/dev/null'], { ...folders.env, BROWSER: 'true' });
    await terminal.says('Press Enter');
    terminal.child.stdin?.write('\r');
    await terminal.says('Code from the browser: ');
    const [address = ''] = /http:\S+cli-login\S+/.exec(terminal.out()) ?? [];
    return { terminal, address: new URL(address) };
  }

  it('the callback of the browser ends the prompt for a code', async () => {
    const { terminal, address } = await waiting('terminal');
    await bring(address, { code: await allow(address) });
    await terminal.says('Logged in at');
    expect(await terminal.ended).toBe(0);
    expect((await context('terminal'))?.key).toMatch(/^hpk1_/);
  });

  it('the code can be pasted although a browser was opened', async () => {
    const { terminal, address } = await waiting('typed');
    terminal.child.stdin?.write(`${await allow(address)}\r`);
    await terminal.says('Logged in at');
    expect(await terminal.ended).toBe(0);
  });

  it('130: Ctrl-C ends it', async () => {
    const { terminal } = await waiting('never');
    terminal.child.stdin?.write('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(await context('never')).toBeUndefined();
  });
});

describe('the name of the computer', () => {
  it.each([
    ['laptop', 'laptop'],
    ['', 'unnamed'],
    ['a\u001b[31mb', 'a\\u001b[31mb'],
    ['x'.repeat(300), 'x'.repeat(64)],
  ])('%j is sent as %j', (name, sent) => expect(computerName(name)).toBe(sent));
});
