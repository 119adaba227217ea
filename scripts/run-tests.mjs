// Runs the tests, then the files that failed once more, one at a time. A test that fails and then passes depends on luck:
// it is listed and has to be mended, but a few of them do not fail the run. What fails twice fails.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { root } from './install.mjs';
import { run } from './interruptible.mjs';

/** If more files than these pass only when they are run again, the run fails. */
const MOST_LUCKY_FILES = 3;
/** If more files than these failed, the reason is not luck, and none is run again. */
const MOST_RUN_AGAIN = 10;

const folder = mkdtempSync(join(tmpdir(), 'hostplane-tally-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

/** `lucky` has the tests that failed at first and passed when their file was run again. */
export async function runTests(args, env) {
  let tally = await runVitest(args, env);
  const places = placesOf(tally.failures);
  const lucky = [];
  const isByLuck = places.length <= MOST_RUN_AGAIN;
  if (!isByLuck) console.log(`\n${places.length} files failed, so they are not run again.`);
  for (const { project, file, failures } of isByLuck ? places : []) {
    console.log(`\n== Once more, alone: ${file} (${project})`);
    const again = await runAlone(args, env, project, file);
    if (again.failures.length === 0) lucky.push(...failures);
    tally = replaceFile(tally, { project, file }, again);
  }
  return { ...tally, lucky };
}

/** What the second run of a file says replaces what the first one said. */
function replaceFile(tally, { project, file }, again) {
  const others = (list) => list.filter((each) => each.file !== file || each.project !== project);
  return {
    files: [...others(tally.files), ...again.files],
    skipped: [...others(tally.skipped), ...again.skipped],
    failures: [...others(tally.failures), ...again.failures],
  };
}

/** Keeps options such as `--root=…`. Names of files and tests that chose the first run do not choose this one. */
function runAlone(args, env, project, file) {
  const options = args.filter((arg) => /^--\w+=/.test(arg) && !/^--(project|testNamePattern)=/.test(arg));
  return runVitest([...options, `--project=${project}`, '--maxWorkers=1', resolve(root, file)], env);
}

function placesOf(failures) {
  const places = new Map();
  for (const failure of failures.filter(({ file }) => file !== null)) {
    const { project, file } = failure;
    const key = `${file} ${project}`;
    const { failures: before = [] } = places.get(key) ?? {};
    places.set(key, { project, file, failures: [...before, failure] });
  }
  return [...places.values()];
}

async function runVitest(args, env) {
  const file = join(folder, 'tally.json');
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/tally.mjs'];
  const code = await run('node_modules/.bin/vitest', ['run', ...reporters, ...args], {
    ...env,
    HOSTPLANE_TALLY: file,
  });
  const tally = readTally(file);
  if ((code !== 0 || tally.files.length === 0) && tally.failures.length === 0)
    tally.failures.push({ project: null, file: null, test: 'the run', error: `exit code ${code}` });
  return tally;
}

function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { skipped: [], files: [], failures: [] };
  }
}

/** Prints the list and writes it to the file, which is removed if the list is empty. False if the list is too long. */
export function reportLuck(lucky, file) {
  rmSync(file, { force: true });
  if (lucky.length === 0) return true;
  const lines = lucky.map(
    ({ project, file, test, error }) => `passed only when run again: ${file} (${project}), ${test}, ${error}`,
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  console.log(`\n${lines.join('\n')}`);
  const files = placesOf(lucky).length;
  const isBearable = files <= MOST_LUCKY_FILES;
  if (!isBearable)
    console.log(`${files} files passed only when run again; more than ${MOST_LUCKY_FILES} fail the run.`);
  return isBearable;
}
