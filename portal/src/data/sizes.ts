/** How sizes and other numbers with a unit are said. */

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** 1 KB has 1,024 bytes, as everywhere in the API. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${SIZES[power]}`;
}

export function formatNumber(value: number, unit: unknown): string {
  // Small sizes, such as that of a packet, are known by their exact number.
  if (unit === 'bytes' && value >= 10_000) return formatBytes(value);
  if (unit === 'MB') return formatBytes(value * 1024 ** 2);
  // As it is sold: 20,000 GB are no round number of TB.
  const isRound = value % 1024 === 0 || !Number.isInteger(value);
  if (unit === 'GB' && (value < 1024 || isRound)) return formatBytes(value * 1024 ** 3);
  if (unit === 'percent') return `${value} %`;
  const text = value.toLocaleString('en-GB');
  return typeof unit === 'string' ? `${text} ${unit}` : text;
}
