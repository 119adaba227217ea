/** What stands beside a chart: the values under the pointer, the names of the series, and all figures as a table. */
import { useId, useState } from 'react';
import type { Frame } from './chart-frame.ts';

export interface Series {
  readonly name: string;
  /** One for each place of the axis. Null: there is no value, which is not nothing. */
  readonly values: readonly (number | null)[];
}

/** A place of the axis: its full name, and a short one for below the chart. */
export interface Place {
  readonly name: string;
  readonly short: string;
}

export type Format = (value: number) => string;

const dots = ['bg-series-1', 'bg-series-2', 'bg-series-3', 'bg-series-4', 'bg-series-5', 'bg-series-6'];

export const shown = (value: number | null | undefined, format: Format): string =>
  value === null || value === undefined ? 'no value' : format(value);

const Dot = ({ at }: { at: number }) => (
  <span aria-hidden="true" className={`size-2 shrink-0 rounded-[2px] ${dots[at % dots.length]}`} />
);

/** Beside the place, on the side with more room. */
export function ReadOut({
  frame,
  at,
  title,
  series,
  format,
  sum,
}: {
  frame: Frame;
  at: number;
  title: string;
  series: readonly Series[];
  format: Format;
  sum: number | null;
}) {
  const middle = frame.x(at);
  const isLeft = middle > frame.width / 2;
  const rows = series
    .map(({ name, values }, s) => ({ name, value: values[at], s }))
    .filter(({ value }) => sum === null || (value ?? 0) > 0);
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-1 z-10 w-max max-w-[60%] rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-(--lift)"
      style={isLeft ? { right: frame.width - middle + 12 } : { left: middle + 12 }}
    >
      <p className="mb-1 flex justify-between gap-6 font-medium">
        <span>{title}</span>
        {sum !== null && <span>{format(sum)}</span>}
      </p>
      {(sum === null || series.length > 1) &&
        rows.map(({ name, value, s }) => (
          <p key={name} className="flex items-center gap-2 text-muted">
            <Dot at={s} />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="pl-3 text-ink">{shown(value, format)}</span>
          </p>
        ))}
    </div>
  );
}

export const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
    {series.map(({ name }, s) => (
      <li key={name} className="flex min-w-0 items-center gap-1.5">
        <Dot at={s} />
        <span className="min-w-0 wrap-anywhere">{name}</span>
      </li>
    ))}
  </ul>
);

export function Figures({
  label,
  placeName,
  places,
  series,
  format,
  sums,
}: {
  label: string;
  placeName: string;
  places: readonly Place[];
  series: readonly Series[];
  format: Format;
  sums: readonly number[] | null;
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <details className="mt-3 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded py-1 text-muted hover:text-ink" aria-controls={id}>
        Show as table
      </summary>
      <section
        id={id}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="mt-2 max-h-[340px] overflow-auto rounded-md border border-line"
      >
        {open && (
          <table className="w-full border-collapse text-left">
            <thead className="sticky top-0 bg-sunken text-xs text-muted">
              <tr>
                <th scope="col" className="px-3 py-2 font-medium">
                  {placeName}
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="px-3 py-2 text-right font-medium">
                    {name}
                  </th>
                ))}
                {sums && (
                  <th scope="col" className="px-3 py-2 text-right font-medium">
                    All
                  </th>
                )}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {places.map(({ name }, i) => (
                <tr key={name}>
                  <th scope="row" className="px-3 py-1.5 font-normal whitespace-nowrap">
                    {name}
                  </th>
                  {series.map((each) => (
                    <td key={each.name} className="px-3 py-1.5 text-right whitespace-nowrap">
                      {each.values[i] === null ? '–' : shown(each.values[i], format)}
                    </td>
                  ))}
                  {sums && (
                    <td className="px-3 py-1.5 text-right font-medium whitespace-nowrap">
                      {format(sums[i] ?? 0)}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </details>
  );
}
