import type { ConsoleLogs } from './console-logs.ts';
import type { Ledger } from './host-ledger.ts';
import type { Samples } from './series.ts';
import type { IncusSettings } from './settings.ts';

export interface IncusOptions {
  readonly location: string;
  readonly settings: IncusSettings;
  readonly ledger: Ledger;
  readonly samples: Samples;
  readonly logs: ConsoleLogs;
}
