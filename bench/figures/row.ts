/** A row of the report, and the helpers that build it from a comparison or a value. */
import type { Fixture } from '../fixture.ts';
import type { Contender, Load } from '../processes.ts';
import type { Comparison, Plan, Side } from '../rounds.ts';

export interface Row {
  readonly figure: string;
  readonly value: string;
  readonly target: string;
  /** Null if the system does not provide the needed values. */
  readonly met: boolean | null;
  readonly context: string;
}

export interface Stage {
  readonly load: Load;
  readonly product: Contender;
  readonly fixture: Fixture;
  readonly plan: Plan;
}

export function atLeast(figure: string, least: number, { ratio, rounds, ours, theirs }: Comparison): Row {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const side = ({ perSecond, microseconds, loadShare }: Side): string =>
    `${Math.round(perSecond)}/s (${Math.round(microseconds)} µs, load ${percent(loadShare)})`;
  return {
    figure,
    value: ratio.toFixed(2),
    target: `≥ ${least.toFixed(2)}`,
    met: ratio >= least,
    context: `${rounds}; ${side(ours)} ÷ ${side(theirs)}`,
  };
}

export function below(figure: string, value: number, most: number, unit: string, context: string): Row {
  return {
    figure,
    value: Number.isNaN(value) ? 'not known' : `${value < 20 ? value.toFixed(2) : Math.round(value)}${unit}`,
    target: `< ${most}${unit}`,
    met: Number.isNaN(value) ? null : value < most,
    context,
  };
}
