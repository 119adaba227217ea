import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { sources } from '../laws/sources.ts';
import { findKindFiles } from './kind-files.ts';
import { type AffectedChoice, chooseAffected, chooseForEverybody } from './suite.ts';

const root = join(import.meta.dirname, '../..');
const endpoints = families.flatMap((family) => family.endpoints);
const kinds = [...buildRegistry(families).kinds.values()];
const kindFiles = await findKindFiles(
  kinds,
  sources.map(({ path }) => path),
);
const tried = [
  ...endpoints.map(({ id, family }) => ({ name: id, family })),
  ...kinds.map(({ type, family }) => ({ name: type, family, files: kindFiles.get(type) })),
];
const affectedBy = (...changed: string[]): AffectedChoice => chooseAffected(changed, sources, tried);

describe('the files of npm test', () => {
  const { files, leftOut } = chooseForEverybody(sources);

  it('are those without engines, browsers, templates and killed processes, and the smoke tests', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'src/laws/structure.test.ts',
        'src/laws/tenancy.test.ts',
        'src/families/account/budgets/budgets.test.ts',
        'src/surfaces/iac/templates.smoke.test.ts',
        'src/surfaces/portal/browser/keyboard.smoke.test.ts',
        'cli/src/faults.test.ts',
      ]),
    );
    for (const path of [
      'src/engines/compute/incus/incus.test.ts',
      'src/surfaces/portal/browser/pages.test.ts',
      'src/laws/terraform.test.ts',
      'src/operations/faults/server.test.ts',
    ])
      expect(files).not.toContain(path);
  });

  it('are all files together with those that are left out', () => {
    const tests = sources.filter(({ path }) => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts'));
    expect(leftOut.every((group) => group.files > 0)).toBe(true);
    expect(files.length + leftOut.reduce((sum, group) => sum + group.files, 0)).toBe(tests.length);
  });
});

describe('the files and endpoints that a change affects', () => {
  it('are those of the resource, and all laws, if its store is changed', () => {
    const { files, names } = affectedBy('src/families/account/budgets/store.ts');
    expect(files).toContain('src/families/account/budgets/budgets.test.ts');
    expect(files).not.toContain('src/laws/held-by-people.test.ts');
    const others = files.filter((path) => path.startsWith('src/families/') && !path.includes('/budgets/'));
    expect(others).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['src/laws/tenancy.test.ts', 'src/laws/structure.test.ts']));
    expect(names?.length).toBeGreaterThan(0);
    expect(names?.filter((name) => !/budget/i.test(name))).toEqual([]);
  });

  it('are also those of resources whose code imports the changed file', () => {
    const { names } = affectedBy('src/families/flexible-vps/snapshots/store.ts');
    expect(names).toEqual(expect.arrayContaining(['createVmSnapshot', 'createVm']));
    expect(names).not.toContain('createWebhook');
  });

  it('are only the kinds of operations whose code imports the changed file', () => {
    const kindsOf = (path: string) => affectedBy(path).names?.filter((name) => name.includes('.'));
    expect(kindsOf('src/families/flexible-vps/ssh-keys/endpoints.ts')).toEqual([]);
    expect(kindsOf('src/families/flexible-vps/ssh-keys/store.ts')).toEqual(['vm.redeploy']);
    expect(kindsOf('src/families/flexible-vps/power/kinds.ts')).toEqual(
      expect.arrayContaining(['vm.power_on', 'vm.shutdown']),
    );
  });

  it('are the endpoints beside a changed fixture', () => {
    const { names } = affectedBy('src/families/account/webhooks/fixture.ts');
    expect(names).toEqual(expect.arrayContaining(['setWebhook', 'deleteWebhook']));
    expect(names).not.toContain('createVm');
  });

  it('are all endpoints if the app itself is changed', () => {
    const { files, names } = affectedBy('src/pipeline/admission.ts');
    expect(names).toBeNull();
    expect(files).toEqual(
      expect.arrayContaining(['src/laws/tenancy.test.ts', 'src/families/account/budgets/budgets.test.ts']),
    );
  });

  it('are only the laws that read sources if a page of the documentation is changed, and its own test', () => {
    const { files } = affectedBy('docs/iac-ansible.md');
    expect(files).toEqual(
      expect.arrayContaining(['src/laws/plain-words.test.ts', 'src/ansible-tour.test.ts']),
    );
    expect(files).not.toContain('src/laws/tenancy.test.ts');
  });

  it('are a changed law alone, with all endpoints', () => {
    const { files, names } = affectedBy('src/laws/tenancy.test.ts');
    expect(files).toContain('src/laws/tenancy.test.ts');
    expect(files).not.toContain('src/laws/audit.test.ts');
    expect(names).toBeNull();
  });

  it('are the tests in the browser if the portal is changed', () => {
    const { files } = affectedBy('portal/src/app/main.tsx');
    expect(files).toContain('src/surfaces/portal/browser/pages.test.ts');
  });

  it('are none of the laws that call the API if a page of the portal is changed', () => {
    const laws = affectedBy('portal/src/pages/home.tsx').files.filter((path) => path.startsWith('src/laws/'));
    expect(laws).toEqual(expect.arrayContaining(['src/laws/structure.test.ts', 'src/laws/texts.test.ts']));
    expect(laws).not.toContain('src/laws/command-line.test.ts');
    const callsTheApi = sources.filter(({ text }) => /\b(createWorld|createTestApp)\(/.test(text));
    expect(callsTheApi.filter(({ path }) => laws.includes(path))).toEqual([]);
  });

  it('are everything if a package is changed', () => {
    const { files, names } = affectedBy('package.json');
    expect(names).toBeNull();
    expect(files).toEqual(expect.arrayContaining([...chooseForEverybody(sources).files]));
  });
});

/** What `readForm` returns for the arguments, or the error that it throws. */
function readForms(...lines: readonly string[][]): unknown[] {
  const program = `
    import { readForm } from ${JSON.stringify(join(root, 'scripts/test-form.mjs'))};
    const read = (args) => { try { return readForm(args); } catch ({ message }) { return message; } };
    console.log(JSON.stringify(${JSON.stringify(lines)}.map(read)));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as unknown[];
}

describe('the arguments of npm test', () => {
  it('choose a form', () => {
    const seed = expect.stringMatching(/^\d+$/);
    const lines = [[], ['--seed', '7'], ['--seed=7'], ['--affected'], ['--ci'], ['--all'], ['src/laws']];
    expect(readForms(...lines)).toEqual([
      { form: 'everybody', rest: [], seed },
      { form: 'everybody', rest: [], seed: '7' },
      { form: 'everybody', rest: [], seed: '7' },
      { form: 'affected', rest: [] },
      { form: 'ci', rest: [] },
      { form: 'all', rest: [] },
      { form: 'named', rest: ['src/laws'] },
    ]);
  });

  it('are refused with a reason if they contradict each other', () => {
    const lines = [['--seed'], ['--seed', 'x'], ['--ci', '--all'], ['--ci', '--seed', '7']];
    expect(readForms(...lines, ['--affected', 'src/laws'], ['src/laws', '--seed', '7'])).toEqual([
      expect.stringContaining('--seed needs a number'),
      expect.stringContaining('--seed needs a number'),
      expect.stringContaining('only one of'),
      expect.stringContaining('does not go with --ci'),
      expect.stringContaining('leave out src/laws'),
      expect.stringContaining('named files try all endpoints'),
    ]);
  });
});

it('only the forms for everything install packages, and the continuous integration calls one of them', () => {
  const text = readFileSync(join(root, 'scripts/test.mjs'), 'utf8');
  expect(text.match(/packages\.mjs|installPackages/g)).toHaveLength(2);
  expect(text).toContain("isWhole ? (await import('./packages.mjs')).installPackages() : []");
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain('npm test -- --ci');
});
