// `npm test`: checks formatting, types and build and runs tests, then prints the slowest files, what was skipped and why,
// what passed only when it was run again, what this form of the command leaves out, and the counts. The forms are in
// `test-form.mjs`; `--ci` and `--all` install what the tests can use, and also print how many tests each law has.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, root } from './install.mjs';
import { run, runAside } from './interruptible.mjs';
import { reportLuck, runTests } from './run-tests.mjs';
import { planOf, readForm, USAGE } from './test-form.mjs';

const begun = Date.now();
const asked = readArguments();
const isWhole = asked.form === 'ci' || asked.form === 'all';
install();
const build = checkAside('Build', process.execPath, ['scripts/build.mjs']);
const missing = isWhole ? (await import('./packages.mjs')).installPackages() : [];
const plan = planOf(asked);
const checks = [await build];
// Beside the tests, which begin with work that only one core can do.
const aside = [
  checkAside('Formatting and lint', 'node_modules/.bin/biome', ['check', '.']),
  checkAside('Types', 'node_modules/.bin/tsc', ['--noEmit', '--checkers', '1']),
  checkAside('Types of the portal', 'node_modules/.bin/tsc', ['--noEmit', '-p', 'portal']),
];
const folder = mkdtempSync(join(tmpdir(), 'hostplane-statements-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const statements = join(folder, 'statements');
console.log(`\n== Tests${asked.seed === undefined ? '' : ` (seed ${asked.seed})`}`);
const tests = await runTests(plan.args, {
  ...plan.env,
  ...(isWhole ? { HOSTPLANE_STATEMENTS: statements } : {}),
});
checks.push(...(await Promise.all(aside)));
// A run of all tests always sends statements: a missing file means that they were not recorded, and fails the check.
if (isWhole && (asked.rest.length === 0 || existsSync(statements)))
  checks.push(
    await check('Statements on the oldest PostgreSQL', 'node_modules/.bin/tsx', [
      'scripts/statements.ts',
      statements,
    ]),
  );
reportTimes(tests.files);
if (isWhole) reportLaws(tests.files);
reportSkips([...missing, ...explainSkips(tests.skipped)]);
if (!reportLuck(tests.lucky, join(root, '.cache', 'passed-only-when-run-again.txt'))) checks.push(false);
reportLeftOut(plan.leftOut);
const passed = sumOf(tests.files, 'passed') + checks.filter((ok) => ok).length;
const failed = tests.failures.length + checks.filter((ok) => !ok).length;
console.log(`${passed} passed, ${failed} failed, in ${Math.round((Date.now() - begun) / 1000)} s`);
process.exitCode = failed === 0 ? 0 : 1;

function readArguments() {
  try {
    return readForm(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function check(title, program, args) {
  console.log(`\n== ${title}`);
  return (await run(program, args)) === 0;
}

async function checkAside(title, program, args) {
  return (await runAside(title, program, args)) === 0;
}

function reportTimes(files) {
  const total = sumOf(files, 'ms');
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  console.log(`\nTen slowest of ${files.length} files, of ${seconds(total)} in all:`);
  for (const { project, file, ms } of slowest)
    console.log(`${seconds(ms).padStart(8)}  ${file} (${project})`);
}

function sumOf(files, member) {
  return files.reduce((sum, file) => sum + file[member], 0);
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A law that lost endpoints would be quicker and find less: its count of tests shows it. */
function reportLaws(files) {
  const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const endpoints = Object.values(paths).flatMap((path) => Object.keys(path)).length;
  const laws = files.filter(({ project, file }) => project === 'main' && file.startsWith('src/laws/'));
  if (laws.length === 0) return;
  console.log(`\nTests of each law, and seconds for each of the ${endpoints} endpoints:`);
  for (const { file, tests, ms } of laws.toSorted((a, b) => (a.file < b.file ? -1 : 1)))
    console.log(
      `${String(tests).padStart(8)}  ${(ms / 1000 / endpoints).toFixed(2)}  ${file.slice('src/laws/'.length)}`,
    );
}

function explainSkips(skipped) {
  const counts = new Map();
  for (const { project, file, name, reason } of skipped) {
    const why = `${file} (${project}): ${reason ?? name.split(' > ').slice(0, -1).join(' > ')}`;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, count]) => `${count} skipped in ${why}`);
}

function reportSkips(skips) {
  if (skips.length === 0) return;
  console.log('\n!! NOT EVERYTHING WAS TESTED');
  for (const skip of skips) console.log(`!! ${skip}`);
  console.log('');
}

function reportLeftOut(lines) {
  if (lines.length === 0) return;
  console.log('\nLeft out:');
  for (const line of lines) console.log(`- ${line}`);
  console.log(
    'npm test -- --ci runs all of this. As root on Debian, it installs the programs that it needs.\n',
  );
}
