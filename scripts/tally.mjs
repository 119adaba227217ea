// A vitest reporter that writes the counts of a run, its failures, and the reasons of skipped tests, to a file.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export default class Tally {
  onTestRunEnd(modules, unhandledErrors) {
    const tally = { skipped: [], files: [], failures: [] };
    for (const module of modules) {
      const tests = [...module.children.allTests()].map((test) => ({ test, result: test.result() }));
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      const place = { project: module.project.name, file: nameOf(module.moduleId) };
      tally.files.push({
        ...place,
        tests: tests.length,
        passed: tests.filter(({ result }) => result.state === 'passed').length,
        ms: collectDuration + setupDuration + duration,
      });
      tally.failures.push(...failuresOf(module, tests).map((failure) => ({ ...place, ...failure })));
      for (const { test, result } of tests)
        if (result.state === 'skipped')
          tally.skipped.push({ ...place, name: test.fullName, reason: result.note });
    }
    for (const error of unhandledErrors) tally.failures.push(...placesOf(error, tally.files));
    writeFileSync(process.env.HOSTPLANE_TALLY, JSON.stringify(tally));
  }
}

function failuresOf(module, tests) {
  const failures = tests
    .filter(({ result }) => result.state === 'failed')
    .map(({ test, result }) => ({ test: test.fullName, error: firstLine(result.errors[0]) }));
  // A file that does not load, or whose hooks fail, has no failed test but counts as one failure.
  if (failures.length > 0 || module.state() !== 'failed') return failures;
  const suites = [...module.children.allSuites()];
  const [error] = [...module.errors(), ...suites.flatMap((suite) => suite.errors())];
  return [{ test: 'the file or its hooks', error: firstLine(error) }];
}

/** An error outside of a test fails its file in every project that ran it; without a file, it fails the whole run. */
function placesOf(error, files) {
  const failure = { test: 'an error outside of a test', error: firstLine(error) };
  const file = error.VITEST_TEST_PATH === undefined ? null : nameOf(error.VITEST_TEST_PATH);
  const places = files.filter((each) => each.file === file);
  return places.length === 0
    ? [{ project: null, file: null, ...failure }]
    : places.map(({ project }) => ({ project, file, ...failure }));
}

const nameOf = (path) => relative(process.cwd(), path);

const firstLine = (error) =>
  stripVTControlCharacters(error?.message ?? 'unknown error')
    .split('\n', 1)[0]
    .slice(0, 200);
