import { ResourceDetail } from '../../resource/detail.tsx';
import { NotANoun } from '../../resource/not-a-noun.tsx';
import { Found } from './found.tsx';
import { overrides } from './overrides.tsx';

export default function OnePage() {
  return (
    <Found>
      {({ noun, families, parent, id = '' }) =>
        noun.isOnly ? (
          <NotANoun />
        ) : (
          <ResourceDetail
            key={`${noun.name} ${id}`}
            noun={noun}
            families={families}
            id={id}
            above={parent && noun.parent ? { [noun.parent.parameter]: parent.id } : {}}
            override={overrides[noun.name]}
          />
        )
      }
    </Found>
  );
}
