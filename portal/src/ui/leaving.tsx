import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog.tsx';

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
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isEdited() && !(wholePage && current.pathname === next.pathname),
    enableBeforeUnload: () => isEdited() && !isHidden(),
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
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
