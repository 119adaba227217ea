/**
 * Lines or stacked bars over time, drawn here: a foreign library would cost more than all pages. The figures can be read
 * with the pointer, with the arrow keys and as a table.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { bandAt, type Frame, frameOf, linePath, stackOf, ticksOf } from './chart-frame.ts';

export interface Series {
  readonly name: string;
  /** One for each place of the axis. Null: there is no value, which is not nothing. */
  readonly values: readonly (number | null)[];
}

interface Props {
  /** What is shown, for those who hear it. */
  readonly label: string;
  readonly kind: 'lines' | 'bars';
  /** The places of the axis: for each its full name, and a short one for below the chart. */
  readonly places: readonly { readonly name: string; readonly short: string }[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** For the axis; by default as the values. */
  readonly formatTick?: (value: number) => string;
  /** The word above the places in the table, such as "Day". */
  readonly placeName: string;
  /** The largest value of the axis if the values are smaller, such as 100 for percentages. */
  readonly least?: number;
  readonly height?: number;
}

const fills = [
  'fill-series-1',
  'fill-series-2',
  'fill-series-3',
  'fill-series-4',
  'fill-series-5',
  'fill-series-6',
];
const strokes = [
  'stroke-series-1',
  'stroke-series-2',
  'stroke-series-3',
  'stroke-series-4',
  'stroke-series-5',
  'stroke-series-6',
];
const dots = ['bg-series-1', 'bg-series-2', 'bg-series-3', 'bg-series-4', 'bg-series-5', 'bg-series-6'];

/** More series than this are hard to tell apart: whoever draws adds up the small ones. */
export const MOST_SERIES = fills.length;

const shown = (value: number | null | undefined, format: Props['format']): string =>
  value === null || value === undefined ? 'no value' : format(value);

export function Chart(props: Props) {
  const { label, kind, places, series, format, formatTick = format, least = 0, height = 240 } = props;
  const [width, box] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const sums = places.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const highest =
    kind === 'bars'
      ? Math.max(0, ...sums)
      : Math.max(0, ...series.flatMap(({ values }) => values.map(Number)));
  const ticks = ticksOf(Math.max(highest, least));
  const frame = frameOf({
    width,
    height,
    count: places.length,
    top: ticks.at(-1) ?? 1,
    labels: ticks.map(formatTick),
  });
  const current = at === null ? null : Math.min(at, places.length - 1);
  const move = (event: PointerEvent): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setAt(bandAt(frame, event.clientX - left));
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = places.length - 1;
    const next = new Map([
      ['ArrowLeft', Math.max(0, (current ?? last + 1) - 1)],
      ['ArrowRight', Math.min(last, (current ?? -1) + 1)],
      ['Home', 0],
      ['End', last],
    ]).get(event.key);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  const readOut = (i: number): string =>
    `${places[i]?.name}: ${series.map(({ name, values }) => `${name} ${shown(values[i], format)}`).join(', ')}`;
  const active = current ?? places.length - 1;
  return (
    <figure className="min-w-0">
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. The arrow keys move between the values.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, places.length - 1)}
        aria-valuenow={Math.max(0, active)}
        aria-valuetext={places.length === 0 ? 'no values' : readOut(active)}
        className="relative touch-pan-y rounded-md"
        onPointerMove={move}
        onPointerDown={move}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={onKey}
      >
        <svg aria-hidden="true" width={width} height={height} className="block max-w-full">
          <Axes frame={frame} ticks={ticks} formatTick={formatTick} places={places} />
          {current !== null && kind === 'bars' && (
            <rect
              x={frame.left + current * frame.band}
              y={frame.above}
              width={frame.band}
              height={frame.inner}
              className="fill-sunken"
            />
          )}
          {kind === 'bars' ? <Bars frame={frame} series={series} /> : <Lines frame={frame} series={series} />}
          {current !== null && kind === 'lines' && <Marker frame={frame} series={series} at={current} />}
        </svg>
        {current !== null && (
          <ReadOut
            frame={frame}
            at={current}
            title={places[current]?.name ?? ''}
            series={series}
            format={format}
            sum={kind === 'bars' ? (sums[current] ?? 0) : null}
          />
        )}
      </div>
      {series.length > 1 && <Legend series={series} />}
      <Figures {...props} sums={kind === 'bars' && series.length > 1 ? sums : null} />
    </figure>
  );
}

/** The width of the box, which the chart fills. */
function useWidth(): readonly [number, RefObject<HTMLDivElement | null>] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [width, box];
}

function Axes({
  frame,
  ticks,
  formatTick,
  places,
}: {
  frame: Frame;
  ticks: readonly number[];
  formatTick: (value: number) => string;
  places: Props['places'];
}) {
  const { left, right, y, x, bottom, everyNth } = frame;
  return (
    <g className="text-xs">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={left - 8} y={y(tick) + 4} textAnchor="end" className="fill-muted">
            {formatTick(tick)}
          </text>
        </g>
      ))}
      {places.map(({ name, short }, i) =>
        i % everyNth === 0 ? (
          <text key={name} x={x(i)} y={bottom + 18} textAnchor="middle" className="fill-muted">
            {short}
          </text>
        ) : null,
      )}
    </g>
  );
}

function Bars({ frame, series }: { frame: Frame; series: readonly Series[] }) {
  const { left, band, y } = frame;
  const gap = Math.min(band * 0.28, 12);
  return stackOf(series.map(({ values }) => values)).map((bars, s) => (
    <g key={series[s]?.name} className={fills[s % fills.length]}>
      {bars.map(([from, to], i) =>
        to > from ? (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            key={i}
            x={left + i * band + gap / 2}
            y={y(to)}
            width={Math.max(1, band - gap)}
            height={Math.max(0.75, y(from) - y(to))}
            rx={Math.min(2, band / 6)}
          />
        ) : null,
      )}
    </g>
  ));
}

const Lines = ({ frame, series }: { frame: Frame; series: readonly Series[] }) =>
  series.map(({ name, values }, s) => (
    <path
      key={name}
      d={linePath(frame, values)}
      fill="none"
      strokeWidth="1.75"
      strokeLinejoin="round"
      strokeLinecap="round"
      className={strokes[s % strokes.length]}
    />
  ));

function Marker({ frame, series, at }: { frame: Frame; series: readonly Series[]; at: number }) {
  const { x, y, above, bottom } = frame;
  return (
    <>
      <line x1={x(at)} x2={x(at)} y1={above} y2={bottom} className="stroke-edge" />
      {series.map(({ name, values }, s) => {
        const value = values[at];
        return value === null || value === undefined ? null : (
          <circle key={name} cx={x(at)} cy={y(value)} r="3.5" className={fills[s % fills.length]} />
        );
      })}
    </>
  );
}

const Dot = ({ at }: { at: number }) => (
  <span aria-hidden="true" className={`size-2 shrink-0 rounded-[2px] ${dots[at % dots.length]}`} />
);

/** Beside the place, on the side with more room. */
function ReadOut({
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
  format: Props['format'];
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

const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
    {series.map(({ name }, s) => (
      <li key={name} className="flex min-w-0 items-center gap-1.5">
        <Dot at={s} />
        <span className="min-w-0 wrap-anywhere">{name}</span>
      </li>
    ))}
  </ul>
);

function Figures({
  label,
  placeName,
  places,
  series,
  format,
  sums,
}: Props & { sums: readonly number[] | null }) {
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
