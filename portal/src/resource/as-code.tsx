import { lazy, Suspense, useState } from 'react';
import type { Props } from './samples.tsx';

const Samples = lazy(() => import('./samples.tsx'));

/** The call as somebody would make it by program: as curl, as a command, in Terraform. It is written when it is opened. */
export function AsCode({ title = 'The same as an API call', ...props }: Props & { title?: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm text-muted">{title}</summary>
      <Suspense>{open && <Samples {...props} />}</Suspense>
    </details>
  );
}
