/**
 * Lines or stacked bars over time, drawn here: a foreign library would cost more than all pages. The figures can be read
 * with the pointer, with the arrow keys and as a table.
 */
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Figures, type Format, Legend, type Place, ReadOut, type Series, shown } from './chart-figures.tsx';
import { bandAt, type Frame, frameOf, linePath, PLACE_NAME, stackOf, ticksOf } from './chart-frame.ts';

interface Props {
  /** What is shown, for those who hear it. */
  readonly label: string;
  readonly kind: 'lines' | 'bars';
  readonly places: readonly Place[];
  readonly series: readonly Series[];
  readonly format: Format;
  /** For the axis; by default as the values. */
  readonly formatTick?: Format;
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
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          className="block max-w-full"
        >
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
  formatTick: Format;
  places: readonly Place[];
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
          <text
            key={name}
            x={x(i) + PLACE_NAME / 2 > right ? right : x(i)}
            y={bottom + 18}
            textAnchor={x(i) + PLACE_NAME / 2 > right ? 'end' : 'middle'}
            className="fill-muted"
          >
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
