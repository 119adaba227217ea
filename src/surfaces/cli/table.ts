/** Formats rows and facts for a terminal. */

/**
 * Replaces control characters, so that text from users cannot move the cursor, change colours or retitle the window.
 */
export function clean(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, '?');
}

/** Formats a time as `2026-03-01 10:00Z`, which is sortable and short enough for a column. */
function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

export type Cell = string | number | boolean | Date | null | undefined;

function format(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  if (value instanceof Date) return formatTime(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return clean(String(value)).replaceAll('\n', ' ');
}

/** One column per member name. Without rows it returns only the text `empty`. */
export function table(rows: readonly Readonly<Record<string, Cell>>[], empty: string): string {
  const [first] = rows;
  if (first === undefined) return `${empty}\n`;
  const names = Object.keys(first);
  const lines = [
    names.map((name) => name.toUpperCase()),
    ...rows.map((row) => names.map((name) => format(row[name]))),
  ];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One line per fact; a list takes one line per item. */
export function facts(values: Readonly<Record<string, Cell | readonly string[]>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  const lines = Object.entries(values).flatMap(([name, value]) => {
    const [first, ...rest] = Array.isArray(value) ? value.map(format) : [format(value as Cell)];
    return [
      `${name.padEnd(width)}  ${first ?? format(null)}`,
      ...rest.map((line) => `${' '.repeat(width)}  ${line}`),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}
