/** The retry schedule of mails: soon at first, then every eight hours, for three days. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds to wait after each failed attempt. */
export const DELAYS = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  ...Array.from({ length: 8 }, () => 8 * HOUR),
];
