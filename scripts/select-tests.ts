/**
 * Prints the test files of a run as JSON, for `scripts/test.mjs`: `everybody <seed>` or `affected`. It is a program of its
 * own, because it reads the sources and the registry, which plain Node cannot load.
 */
import { spawnSync } from 'node:child_process';
import { families } from '../src/families/index.ts';
import { buildRegistry } from '../src/kernel/registry.ts';
import { sample } from '../src/laws/sample.ts';
import { sources } from '../src/laws/sources.ts';
import { findKindFiles } from '../src/testing/kind-files.ts';
import { chooseAffected, chooseForEverybody } from '../src/testing/suite.ts';

const { endpoints, kinds } = buildRegistry(families);

function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}

/** What differs from the newest commit that the main branch has too, committed or not. */
function changedFiles(): string[] {
  const bases = ['origin/main', 'main'].flatMap((branch) => git('merge-base', 'HEAD', branch));
  const base = bases[0] ?? 'HEAD';
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')])];
}

function forEverybody(seed: string) {
  const tried = sample(endpoints, { seed }).length;
  return { ...chooseForEverybody(sources), tried, endpoints: endpoints.length };
}

async function affected() {
  const changed = changedFiles();
  const kindFiles = await findKindFiles(
    [...kinds.values()],
    sources.map(({ path }) => path),
  );
  const named = [
    ...endpoints.map(({ id, family }) => ({ name: id, family })),
    ...[...kinds.values()].map(({ type, family }) => ({ name: type, family, files: kindFiles.get(type) })),
  ];
  const choice = chooseAffected(changed, sources, named);
  const tried = endpoints.filter(({ id }) => choice.names?.includes(id) ?? true).length;
  return { ...choice, changed: changed.length, tried, endpoints: endpoints.length };
}

const [form, seed = ''] = process.argv.slice(2);
console.log(JSON.stringify(form === 'affected' ? await affected() : forEverybody(seed)));
