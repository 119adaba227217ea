import { type ComponentProps, lazy, Suspense } from 'react';

const Dialog = lazy(async () => ({ default: (await import('./act-dialog.tsx')).ActDialog }));

/** Its form and its dry run are loaded when somebody does something. */
export const ActDialog = (props: ComponentProps<typeof Dialog>) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
);
