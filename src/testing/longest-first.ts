/**
 * The order of the test files. Those that take long come first, because one that starts last leaves the other workers
 * without work at the end. Vitest itself goes by the times of earlier runs: a new checkout has none, and a run of a
 * single test spoils them.
 */
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where tests walk over all endpoints, or start processes, engines or a browser. */
const LONG =
  /\/src\/(laws|operations\/faults|engines|testing|store\/embedded|surfaces\/(portal\/browser|cli\/doctor|http))\/|\/src\/[^/]+$/;

/** Where tests start other programs that take minutes, or nearly one. */
const LONGEST = /\/(terraform|ansible|iac-tour|ansible-tour|pages|[^/]+\.smoke)\.test\.ts$/;

const rankOf = ({ moduleId }: TestSpecification): number =>
  LONGEST.test(moduleId) ? 0 : LONG.test(moduleId) ? 1 : 2;
const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // The files of one project stay together, because no worker can be shared by two.
    return files.toSorted(
      (a, b) =>
        a.project.name.localeCompare(b.project.name) || rankOf(a) - rankOf(b) || sizeOf(b) - sizeOf(a),
    );
  }
}
