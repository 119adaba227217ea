import type { ReactNode } from 'react';
import type { Creation } from '../../../resource/create.tsx';
import { Icon } from '../../../ui/icons.tsx';

interface Props {
  readonly creation: Creation;
  /** The address as it is typed so far. */
  readonly address: unknown;
  /** Where it is in the body. */
  readonly pointer: string;
  /** What the file must be. */
  readonly children: ReactNode;
}

/** Says how a file gets here, and whether the address can be asked for. */
export function FromAddress({ creation, address, pointer, children }: Props) {
  const { rehearsal, faults } = creation;
  const isTyped = typeof address === 'string' && address !== '';
  const isChecked = isTyped && rehearsal.isCurrent && !faults.isFaulty(pointer);
  return (
    <div className="grid gap-2 rounded-lg border border-line bg-sunken px-4 py-3 text-sm">
      <p>
        The file is fetched from its address; nothing is uploaded from this browser. A file on your computer
        has to be on a web server or in a bucket first: a link that expires is enough.
      </p>
      <p className="text-muted">{children}</p>
      <p role="status" className="flex items-start gap-2">
        {isChecked && (
          <>
            <Icon name="check" className="mt-0.5 text-good" />
            <span>
              The address is in order. Whether the file is there, and what it is, shows when it is fetched.
            </span>
          </>
        )}
      </p>
    </div>
  );
}
