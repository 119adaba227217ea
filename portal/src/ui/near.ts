/** Of a long list only what is near the screen is rendered: ten thousand rows would make every key press slow. */
import { type RefCallback, useCallback, useRef, useState } from 'react';

/** Rows that appear and go together. */
export const PART = 10;
/** Lists of so many parts are always rendered whole: the first page of any list. */
const FEW = 5;
/** The height of a part before any was measured, in pixels. */
const GUESS = PART * 64;
/** Rendered above and below the screen, of its height. */
const MARGIN = '50%';

export interface Near {
  /** Undefined for a part that is rendered; else the height that it takes. */
  readonly farHeight: (part: number, parts: number) => number | undefined;
  /** Whether any row from the first to the last is near the screen. */
  readonly hasNear: (first: number, last: number) => boolean;
  /** For the element of a part, which has its number as `data-part`. */
  readonly watch: RefCallback<HTMLElement>;
}

export function useNear(): Near {
  const [near, setNear] = useState<ReadonlySet<number>>(() => new Set(Array(FEW).keys()));
  const heights = useRef(new Map<number, number>());
  const observer = useRef<IntersectionObserver>(undefined);
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const look = (entries: readonly IntersectionObserverEntry[]): void =>
      setNear((before) => {
        const after = new Set(before);
        for (const { target, isIntersecting, boundingClientRect } of entries) {
          const part = Number((target as HTMLElement).dataset['part']);
          // What has the focus keeps it.
          if (isIntersecting || target.contains(document.activeElement)) after.add(part);
          else if (after.delete(part)) heights.current.set(part, boundingClientRect.height);
        }
        const isSame = after.size === before.size && [...after].every((part) => before.has(part));
        return isSame ? before : after;
      });
    observer.current ??= new IntersectionObserver(look, { rootMargin: `${MARGIN} 0px` });
    observer.current.observe(element);
    return () => observer.current?.unobserve(element);
  }, []);
  return {
    farHeight(part, parts) {
      if (parts <= FEW || near.has(part)) return undefined;
      const [any = GUESS] = heights.current.values();
      return heights.current.get(part) ?? any;
    },
    hasNear: (first, last) => [...near].some((part) => part * PART <= last && (part + 1) * PART > first),
    watch,
  };
}
