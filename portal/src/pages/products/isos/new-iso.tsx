import type { Resource } from '../../../data/product.ts';
import type { Schema } from '../../../form/document.ts';
import { ObjectForm } from '../../../form/form.tsx';
import { membersOf } from '../../../form/when.ts';
import type { Creation } from '../../../resource/create.tsx';
import { architectureFrom, followed, nameFrom } from '../imports/address.ts';
import { FromAddress } from '../imports/from-address.tsx';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The name and the processor follow the address, as long as nobody has said them. */
function completed(before: Resource, next: Resource): Resource {
  const [old, address] = [textOf(before['url']), textOf(next['url'])];
  if (address === old) return next;
  const name = followed(next['name'], nameFrom(old), nameFrom(address));
  const architecture = followed(next['architecture'], architectureFrom(old), architectureFrom(address));
  return {
    ...next,
    ...(name === undefined ? {} : { name }),
    ...(architecture === undefined ? {} : { architecture }),
  };
}

export default function NewIso({ creation }: { creation: Creation }) {
  const { body, change, described } = creation;
  const { url, ...rest } = membersOf(described.body ?? {});
  const formOf = (properties: Readonly<Record<string, Schema>>) => (
    <ObjectForm
      schema={{ ...described.body, properties }}
      value={body}
      change={(next) => change(completed(body, next as Resource))}
    />
  );
  return (
    <>
      {url && formOf({ url })}
      <FromAddress creation={creation} address={body['url']} pointer="/url">
        A disc as ISO 9660 or UDF, at most 10 GiB, over https.
      </FromAddress>
      {formOf(rest)}
    </>
  );
}
