import { type ReactNode, useEffect } from 'react';
import type { Site } from '../data/site.ts';
import { Brand } from '../ui/brand.tsx';
import { Notice } from '../ui/notice.tsx';

export function Frame({
  site,
  failed,
  children,
}: {
  site: Site | undefined;
  failed: boolean;
  children: ReactNode;
}) {
  const { support_url, terms_url, privacy_url } = site?.provider ?? {};
  const links = [
    ['Support', support_url],
    ['Terms', terms_url],
    ['Privacy', privacy_url],
  ] as const;
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 pt-[max(24px,9vh)] pb-8">
      <header className="mb-7">
        <a href="/portal/api/reference" className="flex items-center gap-2.5 rounded-md">
          <Brand site={site} size={32} />
          <span className="text-lg font-semibold tracking-tight">{site?.provider.name ?? 'Portal'}</span>
        </a>
      </header>
      <main className="card w-full max-w-[400px] animate-[fade_150ms] p-6 sm:p-8">
        {failed && (
          <div className="mb-5">
            <Notice tone="bad">The server does not answer at the moment. You can try it all the same.</Notice>
          </div>
        )}
        {children}
      </main>
      <footer className="mt-6 flex flex-wrap justify-center gap-x-5 gap-y-2 text-sm text-muted">
        <a className="link" href="/portal/api/reference">
          API reference
        </a>
        {links.map(
          ([label, href]) =>
            href && (
              <a key={label} className="link" href={href}>
                {label}
              </a>
            ),
        )}
      </footer>
    </div>
  );
}

export function Head({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <header className="mb-6">
      <h1 className="text-xl">{title}</h1>
      {children && <div className="mt-1 text-muted">{children}</div>}
    </header>
  );
}

export const Or = () => (
  <div className="my-5 flex items-center gap-3 text-sm text-faint">
    <span className="h-px flex-1 bg-line" />
    or
    <span className="h-px flex-1 bg-line" />
  </div>
);
