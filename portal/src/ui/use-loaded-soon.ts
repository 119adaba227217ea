import { type ComponentType, useCallback, useEffect, useState } from 'react';

/** After the first page, which should not wait for what few people see. */
const SOON = 2000;

/** A part of the page that nobody sees at first, null until it is loaded, and what loads it at once. */
export function useLoadedSoon<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  const loaded = useCallback(async () => {
    const { default: part } = await load();
    setPart(() => part);
  }, [load]);
  useEffect(() => {
    const timer = setTimeout(() => void loaded().catch(() => {}), SOON);
    return () => clearTimeout(timer);
  }, [loaded]);
  return [Part, loaded] as const;
}
