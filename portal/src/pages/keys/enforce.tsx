import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../data/http.ts';
import { previewQuery } from '../../data/queries.ts';
import { acts } from '../../data/session.ts';
import type { Account, Allowlist, EnforcePreview } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';

/** Before Enforce: who would be cut off. Whoever goes on types their number, so nobody does it by accident. */
export function Enforce({ account, list, close }: { account: Account; list: Allowlist; close: () => void }) {
  const query = useQuery({ ...previewQuery(account), staleTime: 0 });
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const cut = query.data?.would_deny.length ?? 0;
  const isEmpty = !list.entries.some(({ live }) => live);
  const { busy, error, run } = useAct(async () => {
    await send(`${acts(account)}/allowlist/mode`, {
      method: 'PUT',
      body: { mode: 'enforce', confirm_cut_off: cut },
    });
    await client.invalidateQueries({ queryKey: [account.id, 'allowlist'] });
    close();
    toast('The allowlist is enforced.');
  });
  const { fault, rest } = useFaults(error, cut > 0 ? { confirm_cut_off: typed } : {});
  const why = isEmpty
    ? 'The list has no address yet.'
    : query.data === undefined
      ? 'The list of callers is not there yet.'
      : cut > 0 && typed.trim() !== String(cut)
        ? `Type ${cut} first.`
        : undefined;
  return (
    <Dialog
      wide
      title="Enforce the allowlist"
      intro="Keys work only from the addresses on the list. Signing in to this portal stays possible from everywhere."
      close={close}
      onSubmit={() => why === undefined && void run()}
      foot={
        <>
          <Cancel />
          <Button kind={cut > 0 ? 'danger' : 'primary'} type="submit" busy={busy} why={why}>
            Enforce
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      {isEmpty && (
        <Notice tone="warn">The list is empty: Enforce would refuse every call. Add an address first.</Notice>
      )}
      <Loaded query={query} rows={2}>
        {(preview) => <Preview preview={preview} />}
      </Loaded>
      {cut > 0 && !isEmpty && (
        <TextField
          label={`Type ${cut} to cut them off`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          fault={fault('confirm_cut_off')}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Dialog>
  );
}

function Preview({ preview }: { preview: EnforcePreview }) {
  const { would_deny, warnings } = preview;
  return (
    <>
      {warnings.map(({ code, detail }) => (
        <Notice key={code} tone="warn">
          {detail}
        </Notice>
      ))}
      {would_deny.length === 0 ? (
        <Notice tone="good">Nobody who called in the last 30 days would be cut off.</Notice>
      ) : (
        <div>
          <p className="mb-2 font-medium">
            {count(would_deny.length, 'pair')} of key and address called in the last 30 days and would be cut
            off:
          </p>
          <ul
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
            tabIndex={0}
            aria-label="Who would be cut off"
            className="max-h-[240px] divide-y divide-line overflow-y-auto rounded-md border border-line"
          >
            {would_deny.map(({ key_id, key_name, client_ip, count: calls, last_at }) => (
              <li
                key={`${key_id} ${client_ip}`}
                className="flex flex-wrap items-baseline gap-x-4 px-3.5 py-2"
              >
                <span className="min-w-0 flex-1 font-medium break-words max-sm:basis-full">{key_name}</span>
                <code>{client_ip}</code>
                <span className="text-sm text-muted">
                  {count(calls, 'call')}, <Ago time={last_at} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
