/** Tables as files for spreadsheets. */

export const CSV = 'text/csv;charset=utf-8';

type Cell = string | number | null | undefined;

/** A spreadsheet would calculate what begins like this, and a stranger may have written it. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

function cellOf(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Without the mark at the beginning, a spreadsheet shows letters such as "ü" as others. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\ufeff${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;
