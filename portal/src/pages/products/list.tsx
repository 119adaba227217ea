import { lazy, Suspense } from 'react';
import { useWhyNot } from '../../data/access.ts';
import { isOwned, listAddress, makerOf, titleOf } from '../../data/nouns.ts';
import { CreateLink, ResourceList } from '../../resource/list.tsx';
import { PageHead } from '../../ui/states.tsx';
import { Found, type Place } from './found.tsx';

/** Few nouns are there only once. */
const Single = lazy(async () => ({ default: (await import('../../resource/single.tsx')).Single }));

export default function ListPage() {
  return <Found>{(place) => <List key={place.noun.name} {...place} />}</Found>;
}

function List({ noun, families }: Place) {
  const whyNot = useWhyNot();
  const make = makerOf(noun);
  const create = make && <CreateLink noun={noun} to={`${listAddress(noun)}/new`} why={whyNot(make.id)} />;
  return (
    <>
      <PageHead title={titleOf(noun)} act={isOwned(noun) ? create : undefined}>
        {noun.purpose}
      </PageHead>
      {noun.isOnly ? (
        <Suspense>
          <Single noun={noun} />
        </Suspense>
      ) : (
        <ResourceList noun={noun} families={families} create={create} />
      )}
    </>
  );
}
