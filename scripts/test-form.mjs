// The forms of `npm test`: which one the arguments ask for, and what it means for the tests.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { root } from './install.mjs';

const FORMS = ['--affected', '--ci', '--all'];

export const USAGE = `npm test                    everything that needs nothing outside this folder, on a sample of the endpoints
npm test -- --seed 4711     the same with the sample that 4711 chooses
npm test -- --affected      what the changes since the main branch can break
npm test -- src/pipeline    these folders or files, in full
npm test -- --ci            everything once, with real engines; as root on Debian it installs them
npm test -- --all           everything, with the slow tests`;

/** Throws an Error that says what is wrong. `form` is `everybody`, `affected`, `named`, `ci` or `all`. */
export function readForm(args) {
  const given = args.filter((arg) => FORMS.includes(arg));
  const { seed, rest } = takeSeed(args.filter((arg) => !FORMS.includes(arg)));
  if (given.length > 1) throw new Error(`Give only one of ${FORMS.join(', ')}.`);
  if (given.length > 0 && seed !== undefined) throw new Error(`--seed does not go with ${given[0]}.`);
  if (given.length > 0 && rest.some((arg) => !arg.startsWith('-')) && given[0] !== '--all')
    throw new Error(`${given[0]} chooses the files itself: leave out ${rest.join(' ')}.`);
  if (rest.length > 0 && seed !== undefined)
    throw new Error('--seed is for a run of all files: named files try all endpoints.');
  if (given.length > 0) return { form: given[0].slice(2), rest };
  if (rest.length > 0) return { form: 'named', rest };
  return { form: 'everybody', rest, seed: seed ?? String(randomInt(1, 10_000)) };
}

function takeSeed(args) {
  const place = args.findIndex((arg) => /^--seed(=|$)/.test(arg));
  if (place < 0) return { rest: args };
  const isApart = args[place] === '--seed';
  const seed = isApart ? args[place + 1] : args[place].slice('--seed='.length);
  if (!/^\d+$/.test(seed ?? '')) throw new Error('--seed needs a number: npm test -- --seed 4711');
  return { seed, rest: args.toSpliced(place, isApart ? 2 : 1) };
}

/** The arguments of Vitest, variables of the environment, and `leftOut`, a line for all that the form does not try. */
export function planOf({ form, rest, seed }) {
  if (form === 'everybody') return planForEverybody(seed);
  if (form === 'affected') return planAffected(rest);
  return { args: rest, env: { HOSTPLANE_TEST_ALL: form === 'all' ? '1' : '' }, leftOut: [] };
}

function planForEverybody(seed) {
  const { files, leftOut, tried, endpoints } = select('everybody', seed);
  return {
    // Only on the embedded database.
    args: ['--project=main', ...files.map((file) => join(root, file))],
    env: { HOSTPLANE_TEST_SEED: seed },
    leftOut: [
      `${endpoints - tried} of ${endpoints} endpoints, in laws that try all of them (npm test -- --seed ${seed} tries the same ones)`,
      ...leftOut.filter(({ files }) => files > 0).map(({ what, files }) => `${what}: ${files} files`),
      'the oldest PostgreSQL',
    ],
  };
}

function planAffected(rest) {
  const { files, names, changed, tried, endpoints } = select('affected');
  console.log(
    `\n${changed} changed files affect ${files.length} test files and ${tried} of ${endpoints} endpoints.`,
  );
  return {
    args: ['--project=main', ...rest, ...files.map((file) => join(root, file))],
    env: names === null ? {} : { HOSTPLANE_TEST_NAMES: names.join(',') },
    leftOut: ['all that does not import the changed files, and the oldest PostgreSQL'],
  };
}

function select(...args) {
  const { stdout, stderr, status } = spawnSync(
    'node_modules/.bin/tsx',
    ['scripts/select-tests.ts', ...args],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`The tests to run could not be chosen:\n${stderr}`);
  return JSON.parse(stdout);
}
