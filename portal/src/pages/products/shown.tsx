import { type ComponentType, lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/states.tsx';

/** A part of a page that is loaded when it is shown. */
export function shown<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Part = lazy(load);
  return (props: Props) => (
    <Suspense fallback={<Skeleton rows={3} />}>
      <Part {...props} />
    </Suspense>
  );
}
