import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationKind } from '../../data/account-types.ts';
import type { Resource } from '../../data/product.ts';
import type { Operation } from '../../data/types.ts';
import { nameOf, pathFor } from '../../resource/act-menu.tsx';
import type { Act } from '../../resource/acts.ts';
import { useAgain } from '../../resource/again.ts';
import { ActDialog } from '../../resource/lazy-act.tsx';
import { Button } from '../../ui/button.tsx';

/** What a person can do about work that failed: the same once more, or what helps in the state that it has left. */
export function Again({ operation, kind }: { operation: Operation; kind: OperationKind | undefined }) {
  const again = useAgain(operation, kind);
  const [open, setOpen] = useState<{ act: Act; wanted?: Resource } | null>(null);
  if (again === undefined) return null;
  const { noun, row, above, create, act, others, wanted } = again;
  const [to = '', search = ''] = (create ?? '').split('?');
  return (
    <>
      {others.map((each) => (
        <Button key={each.label} why={each.why} onClick={() => setOpen({ act: each })}>
          {each.label}
        </Button>
      ))}
      {act && (
        <Button kind="primary" why={act.why} onClick={() => setOpen({ act, wanted })}>
          Do it again
        </Button>
      )}
      {create !== undefined && (
        <Link to={to} search={Object.fromEntries(new URLSearchParams(search))} className="btn btn-primary">
          Do it again
        </Link>
      )}
      {open && row && (
        <ActDialog
          {...open}
          noun={noun}
          row={row}
          path={pathFor(noun, open.act, row, above)}
          name={nameOf(row)}
          close={() => setOpen(null)}
        />
      )}
    </>
  );
}
