import { Link } from '@tanstack/react-router';
import { useWhyNot } from '../../data/access.ts';
import { addressOf, listAddress, makerOf, titleOf } from '../../data/nouns.ts';
import { CreateForm, createTitle, purposeOf } from '../../resource/create.tsx';
import { NotANoun } from '../../resource/not-a-noun.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/states.tsx';
import { Beginning } from './beginning.tsx';
import { creations } from './creations.tsx';
import { Found, type Place } from './found.tsx';

export default function NewPage() {
  return (
    <Found>{(place) => (place.noun.isOnly ? <NotANoun /> : <New key={place.noun.name} {...place} />)}</Found>
  );
}

function New({ noun, families, parent }: Place) {
  const Form = creations[noun.name];
  const why = useWhyNot()(makerOf(noun)?.id ?? '');
  const above = parent && noun.parent ? { [noun.parent.parameter]: parent.id } : {};
  return (
    <>
      <nav aria-label="Above" className="mb-2 text-sm text-muted">
        {parent ? (
          <Link
            to={addressOf(parent.noun, families, parent.id)}
            search={{ tab: noun.slug }}
            className="hover:text-ink"
          >
            {titleOf(noun)}
          </Link>
        ) : (
          <Link to={listAddress(noun)} className="hover:text-ink">
            {titleOf(noun)}
          </Link>
        )}
      </nav>
      <PageHead title={createTitle(noun)}>{purposeOf(noun)}</PageHead>
      {why === undefined ? (
        <Beginning noun={noun} families={families} above={above}>
          {(start) => (
            <CreateForm noun={noun} families={families} above={above} start={start}>
              {(creation) => Form && <Form creation={creation} />}
            </CreateForm>
          )}
        </Beginning>
      ) : (
        <Notice tone="warn">{why}</Notice>
      )}
    </>
  );
}
