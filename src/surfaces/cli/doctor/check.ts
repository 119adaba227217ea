import type { Examination } from '../../../kernel/registry.ts';

/** The result of one check of an installation; a failed check says how to fix the fault. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly fix?: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });
export const skipped = (name: string, detail: string): Finding => ({ name, status: 'skipped', detail });
export const failed = (name: string, detail: string, fix: string): Finding => ({
  name,
  status: 'failed',
  detail,
  fix,
});

/** Converts a check that a family or an engine made. */
export const judged = ({ name, detail, fix }: Examination): Finding =>
  fix === undefined ? ok(name, detail) : failed(name, detail, fix);

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
