/** Completion, asked directly and in the real shells. */

import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath, start } from './testing/program.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
let env: Record<string, string>;
beforeAll(async () => {
  site = await openSite();
  for (const name of ['backend', 'batch'])
    await site.line(`placement-group create --name ${name} --location fra1`);
  const bin = join(site.folders.folder, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'hostplane'),
    `#!/bin/sh\nexec ${process.execPath} ${await programPath()} "$@"\n`,
  );
  await chmod(join(bin, 'hostplane'), 0o755);
  env = {
    ...site.folders.env,
    HOSTPLANE_URL: site.url,
    HOSTPLANE_API_KEY: site.key,
    PATH: `${bin}:${process.env['PATH']}`,
    TERM: 'dumb',
  };
});
afterAll(() => site.close());

const complete = async (...words: string[]): Promise<string[]> => {
  const { out } = await site.line(['complete-words', '--', ...words]);
  return out.split('\n').flatMap((each) => each.split('\t')[0] || []);
};

describe('the candidates at the cursor', () => {
  it.each([
    [['logi'], 'login'],
    [['flex'], 'flexible-vps'],
    [['placement-gr'], 'placement-group'],
    [['flexible-vps', 'placement-gr'], 'placement-group'],
    [['vm', 'reset-'], 'reset-password'],
    [['api', 'createVpsN'], 'createVpsNetwork'],
    [['vm', 'create', '--plac'], '--placement-group-id'],
    [['vm', 'create', '--source.ty'], '--source.type'],
    [['vm', 'list', '--status', 'runn'], 'running'],
    [['vm', 'create', '--source.type=sna'], '--source.type=snapshot'],
    [['-o', 'ya'], 'yaml'],
    [['completion', 'z'], 'zsh'],
    [['contexts', 'u'], 'use'],
    [['events', '--types', 'vm.crea'], 'vm.created'],
    [['estimate', 'vm', '--disk'], '--disk-gb'],
  ])('%j', async (words, expected) => {
    expect(await complete(...words)).toContain(expected);
  });

  it('include names of resources from the server, for arguments and flags', async () => {
    expect(await complete('placement-group', 'get', 'ba')).toEqual(['batch', 'backend']);
    expect(await complete('vm', 'create', '--location', 'fra1', '--placement-group-id', 'back')).toEqual([
      'backend',
    ]);
    expect(await complete('vm', 'create', '--location', 'fr')).toEqual(['fra1']);
  });

  it('depend on earlier flags: plans of the location', async () => {
    const all = await complete('vm', 'create', '--plan', '');
    const here = await complete('vm', 'create', '--location', 'hel1', '--plan', '');
    expect(here.length).toBeGreaterThan(0);
    expect(here.length).toBeLessThanOrEqual(all.length);
  });

  it('are empty without a server, and no error is printed', async () => {
    const ran = await site.line(['complete-words', '--', 'vm', ''], {
      env: { HOSTPLANE_URL: 'http://127.0.0.1:9' },
    });
    expect([ran.code, ran.err]).toEqual([0, '']);
  });
});

const has = (shell: string): boolean =>
  ['/usr/bin', '/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, shell)));

describe('in bash', () => {
  /** Runs the function that the script registered, as bash does at a press of the tab key. */
  const inBash = async (...words: string[]): Promise<string[]> => {
    const quoted = ['hostplane', ...words].map((word) => `'${word}'`).join(' ');
    const script = `source <(hostplane completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _hostplane; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p hostplane`;
    const shell = start('bash', ['--norc', '-c', script], env);
    expect([await shell.ended, shell.err()]).toEqual([0, '']);
    return shell.out().trim().split('\n');
  };

  it('completes commands, flags, values and names', async () => {
    expect(await inBash('placement-group', 'get', 'ba')).toEqual([
      'batch',
      'backend',
      'complete -o default -F _hostplane hostplane',
    ]);
    expect(await inBash('vm', 'creat')).toContain('create');
    expect(await inBash('vm', 'list', '--status', 'runn')).toContain('running');
    expect(await inBash('vm', 'create', '--plac')).toContain('--placement-group-id');
  });
});

describe.skipIf(!has('zsh'))(`in zsh${has('zsh') ? '' : ': the package zsh is missing'}`, () => {
  it('completes names at a press of the tab key', async () => {
    // A pseudo-terminal inside zsh, because completion runs only where a person types.
    const script = `
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PS1='ready> '; autoload -Uz compinit; compinit -u -D; source <(hostplane completion zsh); print loa''ded"
zpty -r -m shell line '*loaded*'
zpty -w -n shell $'hostplane placement-group get bat\\t\\n'
zpty -r -m shell line '*get batch*'
print -r -- "$line"
zpty -d shell`;
    const shell = start('zsh', ['-f', '-c', script], env);
    await shell.says('get batch');
    shell.child.kill('SIGKILL');
  });
});

describe.skipIf(!has('fish'))(`in fish${has('fish') ? '' : ': the package fish is missing'}`, () => {
  it('completes commands, flags, values and names', async () => {
    const ask = async (line: string): Promise<string> => {
      const script = `hostplane completion fish | source; complete -C '${line}'`;
      const shell = start('fish', ['--no-config', '-c', script], env);
      expect([await shell.ended, shell.err()]).toEqual([0, '']);
      return shell.out();
    };
    expect(await ask('hostplane placement-group get ba')).toMatch(/^backend\t.*\nbatch\t/);
    expect(await ask('hostplane vm creat')).toMatch(/^create\tCreate a machine/);
    expect(await ask('hostplane vm list --status runn')).toMatch(/^running\t/);
  });
});
