import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWhyNot } from '../../data/access.ts';
import type { Budget } from '../../data/account-types.ts';
import { send } from '../../data/http.ts';
import { ADMINS_ONLY, acts, calls, isAdmin } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

type Act = 'lock' | 'unlock' | 'delete';

const questions: Readonly<Record<Act, readonly [string, string, string]>> = {
  lock: [
    'Lock',
    'Lock the budget',
    'No API key can loosen or delete it then, whatever the key may do otherwise. Tightening stays possible.',
  ],
  unlock: [
    'Unlock',
    'Unlock the budget',
    'API keys that may write budgets can then loosen it: raise the amount, or end the blocking.',
  ],
  delete: [
    'Delete',
    'Delete the budget',
    'It no longer warns or limits anything. What was spent stays in the usage.',
  ],
};

export function BudgetMenu({
  account,
  budget,
  edit,
}: {
  account: Account;
  budget: Budget;
  edit: () => void;
}) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Act | null>(null);
  const lock = `${acts(account)}/budgets/${budget.id}/lock`;
  const { busy, error, run, clear } = useAct(async () => {
    if (asked === 'delete')
      await send(`${calls(account)}/account/v1/budgets/${budget.id}`, { method: 'DELETE' });
    else await send(lock, { method: 'PUT', body: { locked: asked === 'lock' } });
    await client.invalidateQueries({ queryKey: [account.id, 'budgets'] });
    setAsked(null);
    toast(`${budget.name}: ${asked === 'delete' ? 'deleted' : `${asked}ed`}.`);
  });
  const open = (what: Act): void => {
    clear();
    setAsked(what);
  };
  const whyNot = useWhyNot();
  const why = isAdmin(account) ? undefined : ADMINS_ONLY;
  const [label, title, text] = questions[asked ?? 'lock'];
  return (
    <>
      <Menu
        label={`Acts for ${budget.name}`}
        items={[
          { label: 'Change', icon: 'swap', why: whyNot('setBudget'), run: edit },
          budget.locked
            ? { label: 'Unlock', icon: 'key', why, run: () => open('unlock') }
            : { label: 'Lock', icon: 'shield', why, run: () => open('lock') },
          'line',
          {
            label: 'Delete',
            icon: 'close',
            danger: true,
            why: whyNot('deleteBudget') ?? (budget.locked ? 'It is locked: unlock it first.' : undefined),
            run: () => open('delete'),
          },
        ]}
      />
      {asked !== null && (
        <Confirm
          title={`${title} ${budget.name}`}
          act={{ label, run: () => void run() }}
          busy={busy}
          danger={asked === 'delete'}
          close={() => setAsked(null)}
        >
          <ProblemNotice error={error} />
          <p className="text-muted">{text}</p>
        </Confirm>
      )}
    </>
  );
}
