import type { ReactNode } from 'react';
import { Problem } from '../data/http.ts';
import { Notice } from '../ui/notice.tsx';
import { Head } from './frame.tsx';

/** Whether the link itself is to blame: used, too old, or not copied completely. */
export const isDeadLink = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 410 || error.fault('token') !== undefined);

/** A link that cannot be sent again from here: the page says who can. */
export const DeadLink = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <Head title={title} />
    <Notice tone="warn">
      <p className="font-medium">This link does not work any more</p>
      <p>It was used already, is too old, or was not copied completely. {children}</p>
    </Notice>
    <p className="mt-5 text-center text-sm">
      <a className="link" href="/portal/sign-in">
        Go to sign in
      </a>
    </p>
  </>
);
