import { qrPath } from './qr-path.ts';

/** Always dark on white: many scanners do not read inverted codes. */
export function QrCode({ text }: { text: string }) {
  const { path, size } = qrPath(text);
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
