import type { AllowlistMode } from '../../data/types.ts';

export const modeWords: Readonly<Record<AllowlistMode, readonly [string, string]>> = {
  off: ['Off', 'Keys work from every address.'],
  report_only: [
    'Report only',
    'Keys still work from every address. Calls from outside the list are recorded as denials.',
  ],
  enforce: ['Enforce', 'Keys work only from the addresses on the list.'],
};

export const modes: readonly AllowlistMode[] = ['off', 'report_only', 'enforce'];
