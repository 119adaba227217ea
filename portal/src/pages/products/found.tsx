import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mainNouns, type Noun, type NounFamily, nounsQuery, partsOf } from '../../data/nouns.ts';
import { NotANoun } from '../../resource/not-a-noun.tsx';
import { Loaded } from '../../ui/states.tsx';

export interface Place {
  readonly families: readonly NounFamily[];
  readonly family: NounFamily;
  readonly noun: Noun;
  /** The resource that the noun is a part of, if it is one. */
  readonly parent?: { readonly noun: Noun; readonly id: string };
  readonly id: string | undefined;
}

type Params = Readonly<Record<'family' | 'noun' | 'id' | 'child' | 'childId', string | undefined>>;

/** What the address of a product page names. */
export function Found({ children }: { children: (place: Place) => ReactNode }) {
  const params = useParams({ strict: false }) as Params;
  const query = useQuery(nounsQuery);
  return (
    <Loaded query={query} rows={6}>
      {(families) => {
        const family = families.find(({ slug }) => slug === params.family);
        const noun = family && mainNouns(family).find(({ slug }) => slug === params.noun);
        if (!family || !noun) return <NotANoun />;
        if (params.child === undefined) return children({ families, family, noun, id: params.id });
        const child = partsOf(noun, families).find(({ slug }) => slug === params.child);
        if (child === undefined) return <NotANoun />;
        const parent = { noun, id: params.id ?? '' };
        return children({ families, family, noun: child, parent, id: params.childId });
      }}
    </Loaded>
  );
}
