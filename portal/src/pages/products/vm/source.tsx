import { useContext, useState } from 'react';
import type { Resource } from '../../../data/product.ts';
import { spoken } from '../../../data/words.ts';
import type { Schema } from '../../../form/document.ts';
import { Facts } from '../../../form/facts.ts';
import { ObjectForm } from '../../../form/form.tsx';
import type { Creation } from '../../../resource/create.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { RadioCard } from '../../../ui/radio-card.tsx';
import { isPublic, osOf, systemsOf } from './choose.ts';
import { Segments } from './segments.tsx';

interface Discriminator {
  readonly propertyName: string;
  readonly mapping: Readonly<Record<string, string>>;
}

/** Own images are images for the API, and something else for people. */
const OWN = 'own image';

const titles: Readonly<Record<string, string>> = {
  image: 'Fresh system',
  [OWN]: 'Own image',
  vm: 'Copy of a machine',
};

interface Props {
  readonly creation: Creation;
  readonly images: readonly Resource[];
  readonly set: (members: Resource) => void;
}

export function Source({ creation, images, set }: Props) {
  const { described, body } = creation;
  const { resolve } = useContext(Facts);
  const source = (body['source'] ?? {}) as Resource;
  const chosen = images.find((image) => image['id'] === source['image_id']);
  const type = String(source['type'] ?? 'image');
  const isOwn = type === 'image' && chosen !== undefined && !isPublic(chosen);
  const [asked, setTab] = useState<string>();
  const tab = asked ?? (isOwn ? OWN : type);
  const schema = resolve(((described.body?.['properties'] ?? {}) as Record<string, Schema>)['source'] ?? {});
  const { mapping } = schema['discriminator'] as Discriminator;
  const types = Object.keys(mapping).flatMap((type) => (type === 'image' ? ['image', OWN] : [type]));
  const show = (next: string): void => {
    setTab(next);
    if (next !== tab) set({ source: next === 'image' ? undefined : { type: next === OWN ? 'image' : next } });
  };
  return (
    <>
      <Segments
        name="source"
        label="Where the disk comes from"
        options={types.map((type) => [type, titles[type] ?? spoken(type)])}
        chosen={tab}
        choose={show}
      />
      {tab === 'image' ? (
        <Systems images={images} chosen={chosen} set={set} />
      ) : (
        <Other
          schema={resolve({ $ref: mapping[tab === OWN ? 'image' : tab] ?? '' })}
          source={source}
          set={set}
        />
      )}
    </>
  );
}

/** What the document says about the source, without its type, which is chosen already. */
function Other({ schema, source, set }: { schema: Schema; source: Resource; set: Props['set'] }) {
  const { type: _, ...properties } = (schema['properties'] ?? {}) as Record<string, Schema>;
  return (
    <ObjectForm
      schema={{ ...schema, properties, required: Object.keys(properties).slice(0, 1) }}
      value={source}
      change={(next) => set({ source: next })}
      pointer="/source"
    />
  );
}

function Systems({
  images,
  chosen,
  set,
}: {
  images: readonly Resource[];
  chosen: Resource | undefined;
  set: Props['set'];
}) {
  const systems = systemsOf(images.filter(isPublic));
  const current = systems.find((system) => system.images.some((image) => image['id'] === chosen?.['id']));
  const choose = (id: unknown): void => set({ source: { type: 'image', image_id: id } });
  return (
    <>
      <div className="grid grid-cols-2 gap-2 max-[360px]:grid-cols-1 xl:grid-cols-4 sm:grid-cols-3">
        {systems.map((system) => (
          <RadioCard
            key={system.distribution}
            name="system"
            title={system.title}
            note={
              system.images.length === 1
                ? system.images.map((image) => osOf(image).version).join('')
                : `${system.images.length} versions`
            }
            checked={system === current}
            choose={() => choose(system.images[0]?.['id'])}
          />
        ))}
      </div>
      {current && current.images.length > 1 && (
        <div className="max-w-[360px]">
          <SelectField
            label="Version"
            value={String(chosen?.['id'])}
            onChange={(event) => choose(event.target.value)}
          >
            {current.images.map((image) => (
              <option key={String(image['id'])} value={String(image['id'])}>
                {String(image['name'])}
              </option>
            ))}
          </SelectField>
        </div>
      )}
    </>
  );
}
