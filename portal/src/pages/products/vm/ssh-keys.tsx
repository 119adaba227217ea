import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useWhyNot } from '../../../data/access.ts';
import { nounNamed, nounsQuery } from '../../../data/nouns.ts';
import { perform, type Resource, refreshNouns } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import { Combobox } from '../../../form/combobox.tsx';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { CheckField, Field, TextField } from '../../../ui/field.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { useAct } from '../../../ui/use-act.ts';

/** More are found by their name or fingerprint. */
const FEW = 5;

interface Props {
  readonly keys: readonly Resource[];
  readonly body: Resource;
  readonly set: (members: Resource) => void;
}

export function SshKeys({ keys, body, set }: Props) {
  const create = nounNamed(useQuery(nounsQuery).data ?? [], 'ssh_key')?.create;
  const why = useWhyNot()(create?.id ?? '');
  const [adds, setAdds] = useState(false);
  const chosen = (body['ssh_key_ids'] ?? []) as readonly string[];
  const isWithout = chosen.length === 0;
  // Those that were chosen once stay, so that none vanishes under the pointer.
  const [found, setFound] = useState<readonly string[]>([]);
  const isShown = ({ id }: Resource): boolean => [...chosen, ...found].includes(String(id));
  const first = keys.length <= FEW + 1 ? keys : keys.slice(0, FEW);
  const shown = keys.filter((key) => first.includes(key) || isShown(key));
  const choices = keys
    .filter((key) => !shown.includes(key))
    .map(({ id, name, fingerprint_sha256: fingerprint }) => ({
      value: String(id),
      text: `${name} · ${fingerprint}`,
    }));
  const choose = (id: string): void => {
    setFound([...found, id]);
    set({ ssh_key_ids: [...chosen, id] });
  };
  return (
    <>
      {shown.map(({ id, name, fingerprint_sha256: fingerprint }) => (
        <CheckField
          key={String(id)}
          label={String(name)}
          hint={<code className="wrap-anywhere">{String(fingerprint)}</code>}
          checked={chosen.includes(String(id))}
          onChange={(event) => {
            if (event.target.checked) choose(String(id));
            else set({ ssh_key_ids: chosen.filter((each) => each !== String(id)) });
          }}
        />
      ))}
      {choices.length > 0 && (
        <Field label="Find another SSH key" hint={`${choices.length} more, by name or fingerprint.`}>
          {(control) => (
            <Combobox
              control={control}
              choices={choices}
              value=""
              change={(id) => id !== undefined && choose(id)}
              adds
              placeholder="Type a part of the name"
            />
          )}
        </Field>
      )}
      <CheckField
        label="A password"
        hint={
          isWithout
            ? 'Without an SSH key, a password is made and shown once.'
            : 'It is made beside the keys, and shown once.'
        }
        checked={isWithout || body['generate_password'] === true}
        disabled={isWithout}
        onChange={(event) => set({ generate_password: event.target.checked })}
      />
      <Button className="justify-self-start" why={why} onClick={() => setAdds(true)}>
        Add an SSH key
      </Button>
      {adds &&
        createPortal(
          <AddKey
            close={() => setAdds(false)}
            added={(id) => {
              choose(id);
              setAdds(false);
            }}
          />,
          document.body,
        )}
    </>
  );
}

/** "ada@laptop" at the end of a key becomes its name. */
const nameIn = (publicKey: string): string =>
  (publicKey.trim().split(/\s+/)[2] ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);

function AddKey({ close, added }: { close: () => void; added: (id: string) => void }) {
  const account = useAccount();
  const client = useQueryClient();
  const call = nounNamed(useQuery(nounsQuery).data ?? [], 'ssh_key')?.create;
  const [publicKey, setPublicKey] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? nameIn(publicKey);
  const save = useAct(async () => {
    if (call === undefined) return;
    // A key that the account already has is chosen.
    const query = { if_exists: 'return' };
    const answer = await perform(account, {
      call,
      path: {},
      query,
      body: { name, public_key: publicKey.trim() },
    });
    refreshNouns(client, account.id);
    added(String(answer['id']));
  });
  const why = publicKey.trim() === '' || name === '' ? 'Fill in the key and its name first.' : undefined;
  return (
    <Dialog
      title="Add an SSH key"
      intro="The public half: a line that begins with ssh-ed25519, ssh-rsa or similar."
      close={close}
      onSubmit={() => why === undefined && void save.run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={save.busy} why={why}>
            Add key
          </Button>
        </>
      }
    >
      <ProblemNotice error={save.error} />
      <Field label="Public key" hint="On your computer: cat ~/.ssh/id_ed25519.pub">
        {(control) => (
          <textarea
            {...control}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            className="input font-mono text-sm wrap-anywhere"
            value={publicKey}
            onChange={(event) => setPublicKey(event.target.value)}
          />
        )}
      </Field>
      <TextField
        label="Name"
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}
