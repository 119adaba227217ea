import { useQuery } from '@tanstack/react-query';
import { pageQuery } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Foreseen } from '../../../data/types.ts';
import { Reference } from '../../../resource/value.tsx';
import { Button } from '../../../ui/button.tsx';
import { ChangeList } from '../../../ui/change-list.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import type { FirewallRow } from './rules.ts';

const MOST = 12;

interface Props {
  readonly firewall: FirewallRow;
  readonly foreseen: Foreseen;
  readonly busy: boolean;
  readonly error: unknown;
  readonly apply: () => void;
  readonly close: () => void;
}

/** What the dry run says: who is cut off, what opens, and on which machines. */
export function ApplyDialog({ firewall, foreseen, busy, error, apply, close }: Props) {
  const { changes, warnings } = foreseen;
  const opens = changes.filter(({ loosens }) => loosens);
  const others = changes.filter(({ loosens }) => !loosens);
  return (
    <Dialog
      wide
      title={`Apply the rules of ${firewall.name}?`}
      close={close}
      onSubmit={apply}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            Apply
          </Button>
        </>
      }
    >
      {changes.length === 0 && (
        <p>These rules let through the same as before: nobody is cut off, and nothing opens.</p>
      )}
      {others.length > 0 && (
        <section aria-label="Closes">
          <h3 className="mb-2 font-medium">Who is cut off, and what else changes</h3>
          <ChangeList changes={others} />
        </section>
      )}
      {opens.length > 0 && (
        <section aria-label="Opens">
          <h3 className="mb-2 font-medium">What opens</h3>
          <ChangeList changes={opens} />
        </section>
      )}
      {warnings.map(({ code, detail }) => (
        <Notice key={code} tone="warn">
          {detail}
        </Notice>
      ))}
      <Machines firewall={firewall} />
      <ProblemNotice error={error} />
    </Dialog>
  );
}

function Machines({ firewall: { id, vm_count: count } }: { firewall: FirewallRow }) {
  const account = useAccount();
  const { data } = useQuery({
    ...pageQuery(account, 'vm', '/flexible-vps/v1/vms', { firewall_id: id, limit: String(MOST) }),
    enabled: count > 0,
  });
  if (count === 0)
    return <p className="text-muted">No machine has this firewall yet, so nothing changes for anybody.</p>;
  const shown = data?.data ?? [];
  return (
    <section aria-label="Machines">
      <h3 className="mb-2 font-medium">
        On {count} {count === 1 ? 'machine' : 'machines'}
      </h3>
      <p className="flex flex-wrap gap-x-3 gap-y-1">
        {shown.map((row) => (
          <Reference key={String(row['id'])} id={String(row['id'])} />
        ))}
        {data && count > shown.length && <span className="text-muted">and {count - shown.length} more</span>}
      </p>
    </section>
  );
}
