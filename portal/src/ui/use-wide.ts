import { useSyncExternalStore } from 'react';

/** As `lg:` in the styles: wide enough for something beside the content. */
const wide = matchMedia('(min-width: 64rem)');

function listen(changed: () => void): () => void {
  wide.addEventListener('change', changed);
  return () => wide.removeEventListener('change', changed);
}

/** For what stands at one of two places. What only looks different is left to the styles. */
export const useIsWide = (): boolean => useSyncExternalStore(listen, () => wide.matches);
