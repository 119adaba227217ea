// `npm test`: runs formatting, types, build and all tests, then prints what was skipped and why, and the
// counts.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, root } from './install.mjs';
import { installPackages } from './packages.mjs';

// Ctrl-C reaches the tests directly; this process waits for them to clean up.
process.on('SIGINT', () => undefined);

install();
const missing = installPackages();
const checks = [
  await check('Formatting and lint', 'node_modules/.bin/biome', ['check', '.']),
  await check('Types', 'node_modules/.bin/tsc', ['--noEmit']),
  await check('Build', process.execPath, ['scripts/build.mjs']),
];
const tests = await runTests(process.argv.slice(2));
const passed = tests.passed + checks.filter((ok) => ok).length;
const failed = tests.failed + checks.filter((ok) => !ok).length;
reportSkips([...missing, ...explainSkips(tests.skipped)]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function check(title, program, args) {
  console.log(`\n== ${title}`);
  return (await run(program, args)) === 0;
}

async function runTests(args) {
  console.log('\n== Tests');
  const folder = mkdtempSync(join(tmpdir(), 'hostplane-tally-'));
  const file = join(folder, 'tally.json');
  const reporters = ['--reporter=default', '--reporter=./scripts/tally.mjs'];
  const code = await run('node_modules/.bin/vitest', ['run', ...reporters, ...args], {
    HOSTPLANE_TALLY: file,
  });
  const tally = readTally(file);
  rmSync(folder, { recursive: true });
  if (code !== 0 && tally.failed === 0) tally.failed = 1;
  return tally;
}

function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: [] };
  }
}

function run(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', resolve);
  });
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
