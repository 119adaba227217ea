/** What there is exactly once, such as opening hours: its facts, and the calls that change it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWhyNot } from '../data/access.ts';
import { filled, type Noun, type PathValues, singularOf } from '../data/nouns.ts';
import { oneQuery, type Resource } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/states.tsx';
import { type Act, actsFor } from './acts.ts';
import { AsCode } from './as-code.tsx';
import { FactList } from './facts.tsx';
import { ActDialog } from './lazy-act.tsx';
import { answerOf, type Shape } from './schema.ts';

interface Props {
  readonly noun: Noun;
  /** The values of the path of what it belongs to. */
  readonly above?: PathValues;
}

/** The id says nothing: there is no other one. */
const UNSAID: ReadonlySet<string> = new Set(['id']);

export function Single({ noun, above = {} }: Props) {
  const account = useAccount();
  const { id = '', path = '' } = noun.read ?? {};
  const document = useQuery(operationQuery(id));
  const one = useQuery(oneQuery(account, noun.name, filled(path, above)));
  return (
    <Loaded query={document} rows={4}>
      {(json) => (
        <Loaded query={one} rows={4}>
          {(row) => <Shown noun={noun} above={above} row={row} shape={answerOf(json, id)} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Shown({ noun, above, row, shape }: Required<Props> & { row: Resource; shape: Shape }) {
  const whyNot = useWhyNot();
  const [open, setOpen] = useState<Act | null>(null);
  const status = shape.members.find(([name]) => name === 'status')?.[1];
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap gap-3">
        {actsFor(noun, row, status, whyNot).map((act) => (
          <Button key={act.label} why={act.why} onClick={() => setOpen(act)}>
            {act.label}
          </Button>
        ))}
      </div>
      <FactList row={row} shape={shape} without={UNSAID} />
      {noun.read && <AsCode made={{ call: noun.read, path: above }} shown={row} title="Read it by program" />}
      {open && (
        <ActDialog
          act={open}
          noun={noun}
          row={row}
          path={above}
          name={singularOf(noun)}
          close={() => setOpen(null)}
        />
      )}
    </div>
  );
}
