import { type ComponentType, use, useEffect, useState } from 'react';
import { useIsAway } from '../data/away.ts';
import { get, Problem } from '../data/http.ts';
import { ProblemNotice } from './notice.tsx';
import { useAct } from './use-act.ts';

const RELOADED = 'hp-reloaded';
const LATELY = 30_000;

/** The address stays: a reload while the server is away would show the browser's own error page. */
export async function reloadIfServed(): Promise<void> {
  await get('/portal/v1/site');
  location.reload();
}

/** A file of the portal that the server no longer has: the portal was updated since this page was loaded. */
async function loadAnew(): Promise<void> {
  const before = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - before < LATELY) {
    await get('/portal/v1/site');
    throw new Problem(0, {
      title: 'A part of the portal is missing',
      detail: 'The server answers, but one of its files could not be loaded.',
      next_step: 'Try again in a minute.',
    });
  }
  await reloadIfServed();
  sessionStorage.setItem(RELOADED, String(Date.now()));
}

/** A page whose code is loaded when it is opened. If it cannot be loaded, the page says so and can be tried again. */
export function lazyPage<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let Page: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (part) => {
        Page = part.default;
      },
      () => {},
    );
    return loading;
  };
  const again = async (): Promise<boolean> => {
    loading = undefined;
    await preload();
    return Page !== undefined;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each page, when the application starts.
  function LazyPage(props: Props) {
    const [, setLoaded] = useState(Page !== undefined);
    if (Page === undefined) use(preload());
    return Page === undefined ? (
      <NotLoaded again={again} loaded={() => setLoaded(true)} />
    ) : (
      <Page {...props} />
    );
  }
  return Object.assign(LazyPage, { preload });
}

function NotLoaded({ again, loaded }: { again: () => Promise<boolean>; loaded: () => void }) {
  const { error, run } = useAct(async () => {
    if (await again()) loaded();
    else await loadAnew();
  });
  useEffect(() => {
    document.title = 'Not loaded';
  }, []);
  const isAway = useIsAway();
  // biome-ignore lint/correctness/useExhaustiveDependencies: by itself at first and when the server is back, else when somebody asks for it.
  useEffect(() => {
    void run();
    const again = (): void => void run();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [isAway]);
  return (
    <>
      <h1 className="mb-6 text-2xl">This page did not load</h1>
      <ProblemNotice error={error} retry={() => void run()} />
    </>
  );
}
