import type { Row } from './figures/row.ts';
import type { Plan } from './rounds.ts';
export function printRow(row: Row): void {
  const mark = row.met === null ? '?' : row.met ? '✓' : '✗';
  console.log(
    `${mark} ${row.figure.padEnd(70)} ${row.value.padStart(9)}  ${row.target.padEnd(9)} ${row.context}`,
  );
}
export function writeReport(_rows: readonly Row[], _plan: Plan, _seconds: number): string {
  return '';
}
