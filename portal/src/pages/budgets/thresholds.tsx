import type { Threshold } from '../../data/account-types.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';

const MOST = 5;

/** When it warns: one line for each. */
export function Thresholds({
  thresholds,
  change,
  fault,
}: {
  thresholds: readonly Threshold[];
  change: (thresholds: readonly Threshold[]) => void;
  fault: string | undefined;
}) {
  const set = (at: number, changed: Partial<Threshold>): void =>
    change(thresholds.map((each, i) => (i === at ? { ...each, ...changed } : each)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Warn at</legend>
      {thresholds.map(({ percent, basis }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
        <div key={i} className="flex items-center gap-2">
          <input
            aria-label={`Percent of threshold ${i + 1}`}
            type="number"
            min={1}
            max={200}
            required
            className="input w-24"
            value={percent || ''}
            onChange={(event) => set(i, { percent: Number(event.target.value) })}
          />
          <span>%</span>
          <select
            aria-label={`What threshold ${i + 1} looks at`}
            className="input min-w-0 flex-1"
            value={basis}
            onChange={(event) => set(i, { basis: event.target.value as Threshold['basis'] })}
          >
            <option value="actual">of the amount is spent</option>
            <option value="forecast">is what the month will cost</option>
          </select>
          <button
            type="button"
            aria-label={`Remove threshold ${i + 1}`}
            className="btn btn-quiet w-9 px-0"
            disabled={thresholds.length === 1}
            onClick={() => change(thresholds.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {fault && <p className="text-sm text-bad">{fault}</p>}
      {thresholds.length < MOST && (
        <Button
          small
          kind="quiet"
          className="w-fit"
          onClick={() => change([...thresholds, { percent: 90, basis: 'actual' }])}
        >
          <Icon name="plus" />
          Another one
        </Button>
      )}
    </fieldset>
  );
}
