import { useState } from 'react';
import { spoken } from '../../data/words.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Outcome } from './call.ts';
import { foreseenIn } from './foreseen-changes.tsx';

/** Before a destructive call its victim's name is typed. The dry run says the name, and what would be lost. */
export function ConfirmDestructive(props: {
  id: string;
  outcome: Outcome | null;
  fallback: string;
  close: () => void;
  go: () => void;
}) {
  const { id, outcome, fallback, close, go } = props;
  const [typed, setTyped] = useState('');
  const { effects = [] } = foreseenIn(outcome);
  const name = effects[0]?.name ?? effects[0]?.id ?? fallback;
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
