import { describe } from 'vitest';
import { whyNoBrowser } from './chromium.ts';

/** Tests in a real browser. On a machine without one they are skipped, and their title says why. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, tests);
}
