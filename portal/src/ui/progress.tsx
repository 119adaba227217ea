/** How much of something is used or done. Past the end it is full, and the words beside it say by how much. */

const tones = { info: 'bg-accent', good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad' } as const;

export function Progress({
  label,
  percent,
  tone = 'info',
  marks = [],
}: {
  label: string;
  /** Null: nobody knows how far it is. */
  percent: number | null;
  tone?: keyof typeof tones;
  /** Places to look out for, such as the thresholds of a budget. */
  marks?: readonly number[];
}) {
  const width = Math.max(0, Math.min(100, percent ?? 0));
  return (
    <div
      role="progressbar"
      aria-label={label}
      {...(percent === null
        ? {}
        : { 'aria-valuenow': Math.round(width), 'aria-valuemin': 0, 'aria-valuemax': 100 })}
      className="relative h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <div
        className={`h-full rounded-full transition-[width] duration-150 ${tones[tone]} ${percent === null ? 'w-1/3 animate-[breathe_1.4s_infinite]' : ''}`}
        style={percent === null ? {} : { width: `${width}%` }}
      />
      {marks
        .filter((mark) => mark < 100)
        .map((mark) => (
          <span
            key={mark}
            aria-hidden="true"
            className="absolute top-0 h-full w-0.5 bg-surface"
            style={{ left: `${mark}%` }}
          />
        ))}
    </div>
  );
}
