/** Tables as files for spreadsheets. */

type Cell = string | number | null | undefined;

/** A spreadsheet would calculate what begins like this, and a stranger may have written it. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

function cellOf(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;

export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Browsers read the file after this call returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
