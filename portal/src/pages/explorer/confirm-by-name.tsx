import { useState } from 'react';
import type { Foreseen } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { ChangeList } from '../../ui/change-list.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Before a call that takes something away or opens something, the name of what it is about is typed. */
export function ConfirmByName(props: {
  id: string;
  foreseen: Partial<Foreseen>;
  fallback: string;
  close: () => void;
  go: () => void;
}) {
  const { id, foreseen, fallback, close, go } = props;
  const { effects = [], changes = [] } = foreseen;
  const [typed, setTyped] = useState('');
  const subject = effects.find(({ loss }) => loss?.recoverable === false) ?? effects[0];
  const name = subject?.name ?? subject?.id ?? fallback;
  const loosening = changes.filter(({ loosens }) => loosens);
  return (
    <Confirm
      title={`Send ${id} for real`}
      danger
      busy={false}
      ready={typed.trim() === name}
      act={{ label: 'Send for real', run: go }}
      close={close}
    >
      <ul className="grid gap-1">
        {effects.map((effect) => (
          <li key={`${effect.type} ${effect.id}`} className="text-bad">
            {spoken(effect.action)}: {spoken(effect.type)} {effect.name ?? effect.id}
            {effect.loss &&
              `. ${effect.loss.recoverable ? 'For now you lose' : 'Lost for good'}: ${effect.loss.what}`}
          </li>
        ))}
      </ul>
      {loosening.length > 0 && <ChangeList changes={loosening} />}
      <TextField
        label={`Type ${name} to confirm`}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Confirm>
  );
}
