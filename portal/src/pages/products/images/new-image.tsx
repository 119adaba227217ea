import { createContext, useContext } from 'react';
import type { Resource } from '../../../data/product.ts';
import type { Schema } from '../../../form/document.ts';
import { ObjectForm } from '../../../form/form.tsx';
import type { FormProps } from '../../../form/member.ts';
import { Alternatives } from '../../../form/nested.tsx';
import { membersOf } from '../../../form/when.ts';
import type { Creation } from '../../../resource/create.tsx';
import { architectureFrom, followed, nameFrom } from '../imports/address.ts';
import { FromAddress } from '../imports/from-address.tsx';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The name and the processor follow the address, as long as nobody has said them. */
function completed(before: Resource, next: Resource): Resource {
  const old = textOf((before['source'] as Resource | undefined)?.['url']);
  const source = (next['source'] ?? {}) as Resource;
  const address = textOf(source['url']);
  if (source['type'] !== 'url' || address === old) return next;
  const architecture = followed(source['architecture'], architectureFrom(old), architectureFrom(address));
  const name = followed(next['name'], nameFrom(old), nameFrom(address));
  return {
    ...next,
    ...(name === undefined ? {} : { name }),
    source: { ...source, ...(architecture === undefined ? {} : { architecture }) },
  };
}

/** Parts of the form need it that the form itself does not know. */
const Creating = createContext<Creation | null>(null);

/** The members of the source. What a file has to be stands by its address. */
function SourceForm(props: FormProps) {
  const creation = useContext(Creating);
  const { url, ...rest } = membersOf(props.schema);
  if (url === undefined || creation === null)
    return (
      <>
        <ObjectForm {...props} />
        <p className="text-sm text-muted">
          First remove from it what must not be in every copy: SSH host keys, the machine id, secrets.
        </p>
      </>
    );
  const part = (properties: Readonly<Record<string, Schema>>): Schema => ({ ...props.schema, properties });
  return (
    <>
      <ObjectForm {...props} schema={part({ url })} />
      <FromAddress
        creation={creation}
        address={(props.value as Resource | undefined)?.['url']}
        pointer={`${props.pointer}/url`}
      >
        A disk as qcow2, raw or vmdk, also packed with gzip, xz or zstd; at most 50 GiB, over https.
      </FromAddress>
      <ObjectForm {...props} schema={part(rest)} />
    </>
  );
}

/** First what it is made from: the rest depends on it. */
export default function NewImage({ creation }: { creation: Creation }) {
  const { body, change, described } = creation;
  const { resolve } = described;
  const { source, ...rest } = membersOf(described.body ?? {});
  const set = (next: unknown): void => change(completed(body, next as Resource));
  return (
    <Creating value={creation}>
      {source && (
        <Alternatives
          Form={SourceForm}
          name="source"
          schema={resolve(source)}
          isRequired
          value={body['source']}
          change={(next) => set({ ...body, source: next })}
          pointer="/source"
        />
      )}
      <ObjectForm schema={{ ...described.body, properties: rest }} value={body} change={set} />
    </Creating>
  );
}
