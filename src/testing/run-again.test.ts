import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';

const root = join(import.meta.dirname, '../..');

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await writeFile(
    join(folder, 'vitest.config.mjs'),
    "export default { test: { name: 'small', globals: true } };",
  );
});
afterEach(() => removeTemporaryFolder(folder));

const PASSES = "it('passes', () => {});";
const FAILS = "it('fails', () => { throw new Error('always\\nand more'); });";
/** Each of these fails in the first run only: it leaves a file behind that the second run finds. */
const FIRST_TIME =
  "const isFirst = () => { const { existsSync, writeFileSync } = process.getBuiltinModule('node:fs');\n" +
  "const mark = import.meta.filename + '.mark'; const is = !existsSync(mark); writeFileSync(mark, ''); return is; };";
const LUCKY = `${FIRST_TIME} it('is lucky', () => { if (isFirst()) throw new Error('bad luck'); }); ${PASSES}`;
const LUCKY_HOOK = `${FIRST_TIME} beforeAll(() => { if (isFirst()) throw new Error('slow start'); }); ${PASSES}`;
const LUCKY_OUTSIDE = `${FIRST_TIME} it('leaves work', async () => {
  if (isFirst()) Promise.reject(new Error('nobody waits'));
  await new Promise((resolve) => setImmediate(resolve));
});`;

interface Run {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly isBearable: boolean;
  /** The lines that the run printed and wrote to its file. */
  readonly luck: readonly string[];
}

/** Runs these files of tests as `npm test` does, without the checks before them. */
async function runFiles(files: Readonly<Record<string, string>>): Promise<Run> {
  for (const [name, source] of Object.entries(files))
    await writeFile(join(folder, `${name}.test.mjs`), source);
  const list = join(folder, 'cache', 'list.txt');
  const program = `
    import { reportLuck, runTests } from ${JSON.stringify(join(root, 'scripts/run-tests.mjs'))};
    const { files, failures, lucky } = await runTests(['--root=${folder}'], {});
    const passed = files.reduce((sum, file) => sum + file.passed, 0);
    const isBearable = reportLuck(lucky, ${JSON.stringify(list)});
    console.log(JSON.stringify({ passed, failed: failures.map(({ test }) => test).sort(), isBearable }));`;
  const outer = Object.entries(process.env).filter(([name]) => !/^(VITEST|HOSTPLANE|NODE_ENV)/.test(name));
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: Object.fromEntries(outer),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const lines = printed.trim().split('\n');
  const luck = existsSync(list) ? (await readFile(list, 'utf8')).trim().split('\n') : [];
  expect(lines.filter((line) => line.startsWith('passed only when run again'))).toEqual(luck);
  return { ...(JSON.parse(lines.at(-1) ?? '') as Omit<Run, 'luck'>), luck };
}

const lineOf = (file: string, rest: string): unknown =>
  expect.stringMatching(
    new RegExp(`^passed only when run again: .*/${file}\\.test\\.mjs \\(small\\), ${rest}$`),
  );

it('tests that pass leave no list', async () => {
  expect(await runFiles({ a: PASSES })).toEqual({ passed: 1, failed: [], isBearable: true, luck: [] });
});

it('a test that fails twice fails, whatever else was lucky', async () => {
  expect(await runFiles({ a: FAILS, b: LUCKY })).toEqual({
    passed: 2,
    failed: ['fails'],
    isBearable: true,
    luck: [lineOf('b', 'is lucky, bad luck')],
  });
});

it('up to three files that pass when run again are listed and pass, with their hooks and errors outside of tests', async () => {
  expect(await runFiles({ a: LUCKY, b: LUCKY_HOOK, c: LUCKY_OUTSIDE })).toEqual({
    passed: 4,
    failed: [],
    isBearable: true,
    luck: [
      lineOf('a', 'is lucky, bad luck'),
      lineOf('b', 'the file or its hooks, slow start'),
      lineOf('c', 'an error outside of a test, nobody waits'),
    ],
  });
});

it('more than three files that pass only when run again fail the run', async () => {
  const { failed, isBearable, luck } = await runFiles({ a: LUCKY, b: LUCKY, c: LUCKY, d: LUCKY });
  expect({ failed, isBearable, files: luck.length }).toEqual({ failed: [], isBearable: false, files: 4 });
});

it('more than ten files that fail are not run again', async () => {
  const files = Object.fromEntries([...'abcdefghijk'].map((name) => [name, LUCKY]));
  const { failed, luck } = await runFiles(files);
  expect({ failed: failed.length, luck }).toEqual({ failed: 11, luck: [] });
});
