import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operationOfQuery } from '../../data/account-queries.ts';
import {
  addressOf,
  filled,
  makerOf,
  type Noun,
  type NounFamily,
  ownParameter,
  type PathValues,
  singularOf,
} from '../../data/nouns.ts';
import { oneQuery, type Resource } from '../../data/product.ts';
import { operationQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import { inSentence } from '../../data/words.ts';
import { bodyOf } from '../../form/body-of.ts';
import { describe } from '../../form/document.ts';
import { useNamed } from '../../resource/references.ts';
import { useSearchValues } from '../../resource/search-values.ts';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { startOf } from './start.ts';

interface Props {
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  readonly above: PathValues;
  readonly children: (start: Resource) => ReactNode;
}

/**
 * What the form of a creation begins with: nothing, what is left of a creation that failed (`?again=op_…`), or what the
 * link names (`?source.backup_id=bkp_…`).
 */
export function Beginning(props: Props) {
  const { again, ...named } = useSearchValues();
  return again === undefined ? props.children(startOf(named)) : <Failed {...props} operation={again} />;
}

function Failed({ noun, families, above, operation: id, children }: Props & { operation: string }) {
  const account = useAccount();
  const operation = useQuery(operationOfQuery(account, id));
  const isOfNoun = operation.data?.resource.type === noun.name;
  const named = useNamed(isOfNoun ? (operation.data?.resource.id ?? null) : null);
  const path = { ...above, [ownParameter(noun.read?.path ?? '') ?? 'id']: named?.id ?? '' };
  const left = useQuery({
    ...oneQuery(account, noun.name, filled(noun.read?.path ?? '', path)),
    enabled: named != null && noun.read !== undefined,
  });
  const call = makerOf(noun)?.id ?? '';
  const document = useQuery({ ...operationQuery(call), enabled: call !== '' });
  if (operation.isLoading || named === undefined || left.isLoading || document.isLoading)
    return <Skeleton rows={6} />;
  const described = document.data && describe(document.data, call);
  const name = operation.data?.resource.name ?? '';
  const row = left.data ?? { name };
  return (
    <>
      {isOfNoun && (
        <div className="mb-6 max-w-[760px]">
          <Notice tone="info">
            {left.data === undefined ? (
              <>Nothing is left of {name} but its name: fill in the rest again.</>
            ) : (
              <>
                Filled in as{' '}
                <Link
                  to={addressOf(noun, families, String(left.data['id']), Object.values(above)[0])}
                  className="link"
                >
                  {name}
                </Link>{' '}
                was asked for, without what is not shown again, such as passwords. That{' '}
                {inSentence(singularOf(noun))} is still there and keeps its name: delete it first, or choose
                another name.
              </>
            )}
          </Notice>
        </div>
      )}
      {children(described?.body ? bodyOf(described.body, row, described.resolve) : {})}
    </>
  );
}
