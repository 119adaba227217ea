import { qrCode } from './qr.ts';

const QUIET = 4;

/** Always dark on white: many scanners do not read inverted codes. */
export function QrCode({ text }: { text: string }) {
  const rows = qrCode(text);
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label="QR code with the secret"
      viewBox={`0 0 ${size} ${size}`}
      className="size-[188px] shrink-0 rounded-md border border-line bg-white"
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
