/** Where things of a chart are: numbers only, so that it can be tested without a browser. */

export interface Frame {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly above: number;
  readonly bottom: number;
  readonly inner: number;
  /** The width of one place of the axis. */
  readonly band: number;
  readonly count: number;
  /** Of so many places, one is named below the chart. */
  readonly everyNth: number;
  /** The middle of a place. */
  x(place: number): number;
  y(value: number): number;
}

const ABOVE = 8;
const BELOW = 26;
/** The width of a character of the small text, and of the name of a place. */
const CHARACTER = 6.6;
export const PLACE_NAME = 56;

export function frameOf({
  width,
  height,
  count,
  top,
  labels,
}: {
  width: number;
  height: number;
  count: number;
  top: number;
  labels: readonly string[];
}): Frame {
  const left = Math.ceil(Math.max(0, ...labels.map(({ length }) => length)) * CHARACTER) + 12;
  const right = Math.max(left + 1, width - 4);
  const bottom = height - BELOW;
  const inner = bottom - ABOVE;
  const band = (right - left) / Math.max(1, count);
  return {
    width,
    left,
    right,
    above: ABOVE,
    bottom,
    inner,
    band,
    count,
    everyNth: Math.max(1, Math.ceil(PLACE_NAME / Math.max(0.01, band))),
    x: (place) => left + (place + 0.5) * band,
    y: (value) => bottom - (value / (top || 1)) * inner,
  };
}

/** The place under the pointer. */
export const bandAt = ({ left, band, count }: Frame, x: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor((x - left) / band)));

const STEPS = [1, 2, 2.5, 5, 10];

/** Round numbers from nothing to at least the highest value, about four of them. */
export function ticksOf(highest: number, about = 4): readonly number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / about;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((each) => each * size >= rough * 0.999_999) ?? 10) * size;
  const many = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: many + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** Where each value of each series begins and ends, when they stand on each other. */
export function stackOf(
  series: readonly (readonly (number | null)[])[],
): readonly (readonly (readonly [number, number])[])[] {
  const heights: number[] = [];
  return series.map((values) =>
    values.map((value, i) => {
      const from = heights[i] ?? 0;
      const to = from + Math.max(0, value ?? 0);
      heights[i] = to;
      return [from, to] as const;
    }),
  );
}

/** A missing value is a gap in the line. A value between two gaps is drawn as a dot. */
export function linePath({ x, y }: Pick<Frame, 'x' | 'y'>, values: readonly (number | null)[]): string {
  const at = (value: number, i: number): string => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
  return values
    .map((value, i) => {
      if (value === null) return '';
      const isFirst = i === 0 || values[i - 1] === null;
      const isAlone = isFirst && (values[i + 1] === null || values[i + 1] === undefined);
      return `${isFirst ? 'M' : 'L'}${at(value, i)}${isAlone ? `L${at(value, i)}` : ''}`;
    })
    .join('');
}
