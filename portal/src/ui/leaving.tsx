import { useBlocker } from '@tanstack/react-router';
import { useLoadedSoon } from './use-loaded-soon.ts';

const question = async () => ({ default: (await import('./dialog.tsx')).Confirm });

interface Props {
  readonly title: string;
  /** What is lost. */
  readonly text: string;
  /** Asked when somebody leaves, so that it may know what has just been sent. */
  readonly isEdited: () => boolean;
  /** Whether the edits are on this page whatever follows its path, such as the open tab. */
  readonly wholePage?: boolean;
}

/** When a session has ended, there is nothing to stay for: the page hides itself. */
const isHidden = (): boolean => document.querySelector('#root')?.hasAttribute('hidden') ?? false;

/** Asks before edits are lost: by a link, by Back, and when the tab is closed. */
export function Leaving({ title, text, isEdited, wholePage = false }: Props) {
  const [Confirm] = useLoadedSoon(question);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const loses = isEdited() && !(wholePage && current.pathname === next.pathname);
      // Until our own question is loaded, the browser asks.
      return loses && (Confirm !== null || !window.confirm(`${title} ${text}`));
    },
    enableBeforeUnload: () => isEdited() && !isHidden(),
    withResolver: true,
  });
  if (blocker.status !== 'blocked' || Confirm === null) return null;
  return (
    <Confirm
      title={title}
      act={{ label: 'Leave', run: blocker.proceed }}
      cancel="Keep editing"
      busy={false}
      close={blocker.reset}
      danger
    >
      <p>{text}</p>
    </Confirm>
  );
}
