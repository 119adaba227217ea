// A vitest reporter that writes the counts of a run, and the reasons of skipped tests, to a file.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class Tally {
  onTestRunEnd(modules, unhandledErrors) {
    const tally = { passed: 0, failed: unhandledErrors.length, skipped: [], files: [] };
    for (const module of modules) {
      const tests = [...module.children.allTests()].map((test) => ({ test, result: test.result() }));
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      tally.files.push({
        project: module.project.name,
        file: relative(process.cwd(), module.moduleId),
        tests: tests.length,
        ms: collectDuration + setupDuration + duration,
      });
      const failures = tests.filter(({ result }) => result.state === 'failed').length;
      tally.passed += tests.filter(({ result }) => result.state === 'passed').length;
      // A file that does not load, or whose hooks fail, has no failed test but counts as one failure.
      tally.failed += failures === 0 && module.state() === 'failed' ? 1 : failures;
      for (const { test, result } of tests) {
        if (result.state !== 'skipped') continue;
        const file = relative(process.cwd(), module.moduleId);
        tally.skipped.push({ project: module.project.name, file, name: test.fullName, reason: result.note });
      }
    }
    writeFileSync(process.env.HOSTPLANE_TALLY, JSON.stringify(tally));
  }
}
