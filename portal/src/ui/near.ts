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

/** Parts from the first to the last, which is the same for one that is rendered. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
  /** Of parts that are not rendered: the room that they take, in pixels. */
  readonly farHeight?: number;
}

export interface Near {
  /** The whole list, in its order. */
  readonly stretches: (rows: number) => readonly Stretch[];
  /** Whether any row from the first to the last is near the screen. */
  readonly hasNear: (first: number, last: number) => boolean;
  /** For the element of each stretch, which has `data-first` and `data-last`. */
  readonly watch: RefCallback<HTMLElement>;
}

/** Which parts of a stretch the browser sees near the screen. */
function partsSeen({ target, boundingClientRect, intersectionRect }: IntersectionObserverEntry): number[] {
  const [first, last] = ['first', 'last'].map((name) => Number((target as HTMLElement).dataset[name]));
  const parts = (last ?? 0) - (first ?? 0) + 1;
  const each = boundingClientRect.height / parts;
  const from = Math.floor((intersectionRect.top - boundingClientRect.top) / each);
  const until = Math.ceil((intersectionRect.bottom - boundingClientRect.top) / each);
  const seen = Math.max(1, Math.min(until, parts) - from);
  return Array.from({ length: seen }, (_, at) => (first ?? 0) + Math.min(from + at, parts - 1));
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
        for (const entry of entries) {
          const { target, isIntersecting, boundingClientRect } = entry;
          const part = Number((target as HTMLElement).dataset['first']);
          // What has the focus keeps it.
          if (isIntersecting) for (const seen of partsSeen(entry)) after.add(seen);
          else if (!target.contains(document.activeElement) && after.delete(part))
            heights.current.set(part, boundingClientRect.height);
        }
        const isSame = after.size === before.size && [...after].every((part) => before.has(part));
        return isSame ? before : after;
      });
    observer.current ??= new IntersectionObserver(look, { rootMargin: `${MARGIN} 0px` });
    observer.current.observe(element);
    return () => observer.current?.unobserve(element);
  }, []);
  return {
    stretches(rows) {
      const parts = Math.ceil(rows / PART);
      const [any = GUESS] = heights.current.values();
      const found: Stretch[] = [];
      for (let part = 0; part < parts; part++) {
        const before = found.at(-1);
        if (parts <= FEW || near.has(part)) found.push({ first: part, last: part });
        else {
          const { first = part, farHeight = 0 } = before?.farHeight === undefined ? {} : found.pop()!;
          found.push({ first, last: part, farHeight: farHeight + (heights.current.get(part) ?? any) });
        }
      }
      return found;
    },
    hasNear: (first, last) => [...near].some((part) => part * PART <= last && (part + 1) * PART > first),
    watch,
  };
}
