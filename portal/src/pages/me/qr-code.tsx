import { qrPath } from './qr-path.ts';

/** Always dark on white: many scanners do not read inverted codes. */
export function QrCode(props: { text: string; label?: string; large?: boolean }) {
  const { text, label = 'QR code with the secret', large = false } = props;
  const { path, size } = qrPath(text);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className={`shrink-0 rounded-md border border-line bg-white ${large ? 'size-[288px]' : 'size-[188px]'}`}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
