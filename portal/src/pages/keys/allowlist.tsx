import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem, post, send } from '../../data/http.ts';
import { allowlistQuery } from '../../data/queries.ts';
import { ADMINS_ONLY, acts, isAdmin, useAccount } from '../../data/session.ts';
import type { Account, Allowlist, AllowlistMode } from '../../data/types.ts';
import { formatTime } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Cancel, Confirm, Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { Acts, Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { Enforce } from './enforce.tsx';
import { modes, modeWords } from './modes.ts';
import { KeyTabs } from './tabs.tsx';

export default function AllowlistPage() {
  const account = useAccount();
  const query = useQuery(allowlistQuery(account));
  const { add } = useSearch({ strict: false }) as { add?: string };
  const navigate = useNavigate();
  const open = (cidr?: string): void =>
    void navigate({ to: '/api/keys/allowlist', search: cidr === undefined ? {} : { add: cidr } });
  const why = isAdmin(account) ? undefined : ADMINS_ONLY;
  return (
    <>
      <PageHead
        title="API IP allowlist"
        act={
          <Button kind="primary" why={why} onClick={() => open('new')}>
            <Icon name="plus" />
            Add addresses
          </Button>
        }
      >
        From which addresses the keys of this account work. Signing in to this portal is never affected.
      </PageHead>
      <KeyTabs />
      <Loaded query={query}>
        {(list) => (
          <>
            <ModeChoice account={account} list={list} />
            <Section
              title="Addresses"
              act={
                <Button small why={why} onClick={() => open(list.my_address)}>
                  Add my address, {list.my_address}
                </Button>
              }
            >
              <Entries account={account} list={list} why={why} />
            </Section>
            {add !== undefined && (
              <AddEntry
                account={account}
                first={add === 'new' ? '' : add}
                mine={list.my_address}
                close={() => open()}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function ModeChoice({ account, list }: { account: Account; list: Allowlist }) {
  const client = useQueryClient();
  const [enforcing, setEnforcing] = useState(false);
  const { error, run } = useAct(async (mode: AllowlistMode) => {
    await send(`${acts(account)}/allowlist/mode`, { method: 'PUT', body: { mode } });
    await client.invalidateQueries({ queryKey: [account.id, 'allowlist'] });
    toast(mode === 'off' ? 'The allowlist is off.' : 'The allowlist reports, and refuses nothing.');
  });
  const choose = (mode: AllowlistMode): void => {
    if (mode === list.mode) return;
    if (mode === 'enforce') setEnforcing(true);
    else void run(mode);
  };
  return (
    <Section
      title="Mode"
      note={[
        ...(list.mode_changed
          ? [`Since ${formatTime(list.mode_changed.at)}, set by ${list.mode_changed.by}.`]
          : []),
        ...(isAdmin(account) ? [] : [ADMINS_ONLY]),
      ].join(' ')}
    >
      <fieldset className="grid gap-3 md:grid-cols-3">
        <legend className="sr-only">Mode</legend>
        {modes.map((mode) => (
          <RadioCard
            key={mode}
            name="mode"
            title={modeWords[mode][0]}
            note={modeWords[mode][1]}
            checked={list.mode === mode}
            disabled={!isAdmin(account)}
            choose={() => choose(mode)}
          />
        ))}
      </fieldset>
      <div className="mt-3 empty:hidden">
        <ProblemNotice error={error} />
      </div>
      {enforcing && <Enforce account={account} list={list} close={() => setEnforcing(false)} />}
    </Section>
  );
}

function Entries({ account, list, why }: { account: Account; list: Allowlist; why: string | undefined }) {
  const client = useQueryClient();
  const [removing, setRemoving] = useState<Allowlist['entries'][number] | null>(null);
  const { busy, error, run } = useAct(async (id: string) => {
    await send(`${acts(account)}/allowlist/entries/${id}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: [account.id, 'allowlist'] });
    setRemoving(null);
    toast('The addresses are off the list.');
  });
  if (list.entries.length === 0)
    return (
      <Empty title="No addresses yet">
        Enforce needs at least one. Begin with Report only: it shows who calls from where.
      </Empty>
    );
  return (
    <>
      <Table label="Addresses" columns={['Addresses', 'Note', 'Last seen', 'Until', 'Acts']}>
        {list.entries.map((entry) => (
          <Row key={entry.id}>
            <Cell wide free quiet={`added by ${entry.created.by}`}>
              <code className="font-medium">{entry.cidr}</code>
            </Cell>
            <Cell free label="Note">
              {entry.note || <span className="text-faint">None</span>}
            </Cell>
            <Cell label="Last seen">
              {entry.last_matched_at ? (
                <Ago time={entry.last_matched_at} />
              ) : (
                <span className="text-muted">Not yet</span>
              )}
            </Cell>
            <Cell label="Until">
              {entry.expires_at === null ? (
                <span className="text-muted">No end</span>
              ) : entry.live ? (
                <Ago time={entry.expires_at} />
              ) : (
                <Badge tone="plain">expired</Badge>
              )}
            </Cell>
            <Acts>
              <Button
                kind="quiet"
                small
                why={why}
                aria-label={`Remove ${entry.cidr}`}
                onClick={() => setRemoving(entry)}
              >
                Remove
              </Button>
            </Acts>
          </Row>
        ))}
      </Table>
      {removing && (
        <Confirm
          title={`Remove ${removing.cidr}`}
          act={{ label: 'Remove', run: () => void run(removing.id) }}
          busy={busy}
          danger
          close={() => setRemoving(null)}
        >
          <p className="text-muted">
            {list.mode === 'enforce'
              ? 'Enforce is on: calls from there are refused from this moment on.'
              : 'Calls from there are recorded as outside the list from now on.'}
          </p>
          <ProblemNotice error={error} />
        </Confirm>
      )}
    </>
  );
}

const ends: readonly (readonly [string, number | null])[] = [
  ['No end', null],
  ['1 day', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
];

function AddEntry({
  account,
  first,
  mine,
  close,
}: {
  account: Account;
  first: string;
  mine: string;
  close: () => void;
}) {
  const client = useQueryClient();
  const [cidr, setCidr] = useState(first);
  const [note, setNote] = useState('');
  const [days, setDays] = useState<number | null>(null);
  const { busy, error, run } = useAct(async () => {
    const expires_at =
      days === null ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() };
    await post(`${acts(account)}/allowlist/entries`, {
      cidr: cidr.trim(),
      ...(note === '' ? {} : { note }),
      ...expires_at,
    });
    await client.invalidateQueries({ queryKey: [account.id, 'allowlist'] });
    close();
    toast(`${cidr.trim()} is on the list.`);
  });
  const { fault, rest } = useFaults(
    error,
    { cidr, note, expires_at: days },
    { entry_exists: ['cidr', 'This is on the list already.'] },
  );
  const corrected =
    error instanceof Problem && fault('cidr') !== undefined ? error.body['corrected'] : undefined;
  return (
    <Dialog
      title="Add addresses"
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            Add
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      {typeof corrected === 'string' && (
        <Button small className="justify-self-start" onClick={() => setCidr(corrected)}>
          Use {corrected}
        </Button>
      )}
      <TextField
        label="Address or range"
        hint={`For example 203.0.113.7 or 2001:db8::/64. Your own address now is ${mine}.`}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        value={cidr}
        fault={fault('cidr')}
        onChange={(event) => setCidr(event.target.value)}
      />
      <TextField
        label="Note"
        optional
        hint="Who or what is there, for example office or CI runner."
        maxLength={100}
        value={note}
        fault={fault('note')}
        onChange={(event) => setNote(event.target.value)}
      />
      <SelectField
        label="Until"
        value={days ?? ''}
        fault={fault('expires_at')}
        onChange={(event) => setDays(event.target.value === '' ? null : Number(event.target.value))}
      >
        {ends.map(([title, value]) => (
          <option key={title} value={value ?? ''}>
            {title}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
