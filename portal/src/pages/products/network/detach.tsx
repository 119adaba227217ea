import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Network } from '../../../../../src/families/flexible-vps/networks/schema.ts';
import type { Problem } from '../../../data/http.ts';
import type { NounCall } from '../../../data/nouns.ts';
import { type PersonCall, perform, refreshNouns } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import { ForeseenNotes } from '../../../resource/foreseen.tsx';
import { useNamed } from '../../../resource/references.ts';
import { useRehearsal } from '../../../resource/rehearsal.ts';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useAct } from '../../../ui/use-act.ts';
import type { Member } from './members.ts';

interface Props {
  readonly network: Network;
  readonly call: NounCall;
  readonly member: Member;
  readonly close: () => void;
}

const asksForName = (problem: Problem | undefined): boolean =>
  problem?.body.errors?.some(({ pointer }) => pointer.endsWith('confirm')) ?? false;

export function Detach({ network, call, member, close }: Props) {
  const account = useAccount();
  const client = useQueryClient();
  const name = useNamed(member.id)?.name ?? member.id;
  const [typed, setTyped] = useState('');
  const path = { id: member.id, interface_id: member.interfaceId ?? '' };
  // The rehearsal says what is lost, and whether the name has to be typed.
  const { foreseen, problem } = useRehearsal({ call, path });
  const asksName = asksForName(problem);
  const made: PersonCall = { call, path, ...(asksName ? { query: { confirm: typed.trim() } } : {}) };
  const run = useAct(async () => {
    await perform(account, made);
    refreshNouns(client, account.id);
    toast(`${name} leaves ${network.name}`);
    close();
  });
  const refusal = run.error ?? (asksName ? undefined : problem);
  const why =
    asksName && typed.trim() !== name
      ? `Type ${name} first.`
      : refusal
        ? 'See what is in the way.'
        : undefined;
  return (
    <Dialog
      title={`Detach ${name} from ${network.name}?`}
      close={close}
      onSubmit={() => why === undefined && void run.run()}
      foot={
        <>
          <Cancel />
          <Button kind="danger" type="submit" busy={run.busy} why={run.error ? undefined : why}>
            Detach
          </Button>
        </>
      }
    >
      <p>
        It gives up <code className="wrap-anywhere">{member.addresses.join(', ')}</code>, and no longer
        reaches the others in the network.
      </p>
      {foreseen && <ForeseenNotes foreseen={foreseen} />}
      {asksName && (
        <>
          <Notice tone="warn">The machine will have no interface and no address left.</Notice>
          <TextField
            label={`Type ${name} to confirm`}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
      <ProblemNotice error={refusal} />
    </Dialog>
  );
}
