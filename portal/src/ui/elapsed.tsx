import { useEffect, useState } from 'react';
import { duration } from '../data/durations.ts';

/** How long it has taken so far, second by second, and how long it usually takes. */
export function Elapsed({
  from,
  to,
  typical,
}: {
  from: string;
  to: string | null;
  typical?: number | null | undefined;
}) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (to !== null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [to]);
  const seconds = ((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1000;
  return (
    <span className="whitespace-nowrap">
      {duration(seconds)}
      {typical ? ` of about ${duration(typical)}` : ''}
    </span>
  );
}
