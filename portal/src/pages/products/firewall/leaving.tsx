import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../../../ui/dialog.tsx';

/** Asks before edits are lost. */
export function Leaving({ isEdited }: { isEdited: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isEdited,
    enableBeforeUnload: () => isEdited,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Confirm
      title="Leave without applying the rules?"
      act={{ label: 'Leave', run: blocker.proceed }}
      busy={false}
      close={blocker.reset}
      danger
    >
      <p>Your edits are only on this page. They are lost when you leave it.</p>
    </Confirm>
  );
}
