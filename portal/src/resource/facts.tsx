import type { ReactNode } from 'react';
import type { Resource } from '../data/product.ts';
import type { Resolve, Schema } from '../form/document.ts';
import { headOf } from '../form/words.ts';
import { Copy } from '../ui/code.tsx';
import { membersOf, type Shape } from './schema.ts';
import { Labels, Value } from './value.tsx';
import { isEmpty, isId, isNamed, isPrice } from './values.ts';

/** Members that the head of the page shows, or that are for programs. */
const ELSEWHERE = new Set([
  'name',
  'description',
  'labels',
  'status',
  'status_reason',
  'operation',
  'etag',
  'href',
]);

type Member = readonly [name: string, schema: Schema];

const titleOf = ([name, schema]: Member): string => headOf(name, schema);

const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || isPrice(value) || isNamed(value) || Array.isArray(value);

/** Also an object of whose members none is set. The entries of a map may be empty words: they say something. */
const isUnset = (value: unknown, schema: Schema, resolve: Resolve): boolean => {
  if (isEmpty(value)) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const members = membersOf(schema, resolve);
  return members.length > 0 && members.every(([name]) => isEmpty((value as Resource)[name]));
};

const hasObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null);

/** What is known about a resource: the facts of its table first, then the others, and what is not set in one line. */
export function FactList({
  row,
  shape,
  without,
}: {
  row: Resource;
  shape: Shape;
  without: ReadonlySet<string>;
}) {
  const shown = shape.members.filter(
    ([name, schema]) =>
      !ELSEWHERE.has(name) && !without.has(name) && name in row && schema['x-secret'] !== true,
  );
  const first = shape.columns.map(([name]) => name);
  const rank = ([name]: Member): number => {
    const at = first.indexOf(name);
    return at === -1 ? first.length : at;
  };
  const isNotSet = ([name, schema]: Member): boolean => isUnset(row[name], schema, shape.resolve);
  const filled = shown.filter((member) => !isNotSet(member)).toSorted((a, b) => rank(a) - rank(b));
  const plain = filled.filter(([name]) => isPlain(row[name]) && !hasObjects(row[name]));
  const lists = filled.filter(([name]) => hasObjects(row[name]));
  const groups = filled.filter((member) => !plain.includes(member) && !lists.includes(member));
  const empty = shown.filter(isNotSet);
  return (
    <div className="grid gap-6">
      <dl className="card grid grid-cols-1 overflow-hidden sm:grid-cols-2 lg:grid-cols-3 [&>*]:-mb-px">
        {plain.map((member) => (
          <Fact key={member[0]} title={titleOf(member)}>
            {member[0] === 'id' ? (
              <>
                <code className="break-all">{String(row['id'])}</code>
                <Copy text={String(row['id'])} label="Copy" className="btn btn-quiet btn-small -my-1 ml-1" />
              </>
            ) : (
              <Value name={member[0]} value={row[member[0]]} schema={member[1]} row={row} />
            )}
          </Fact>
        ))}
      </dl>
      {groups.length > 0 && (
        <dl className="card divide-y divide-line overflow-hidden">
          {groups.map((member) => (
            <div
              key={member[0]}
              className="grid gap-x-6 px-4 py-3 md:grid-cols-[180px_minmax(0,1fr)] md:px-5"
            >
              <dt className="text-muted">{titleOf(member)}</dt>
              <dd>
                <Group
                  value={row[member[0]] as Resource}
                  schema={member[1]}
                  resolve={shape.resolve}
                  row={row}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {lists.map((member) => (
        <Several
          key={member[0]}
          member={member}
          items={row[member[0]] as readonly Resource[]}
          resolve={shape.resolve}
          row={row}
        />
      ))}
      {empty.length > 0 && (
        <p className="text-sm text-muted">
          Not set: {empty.map((member) => titleOf(member).toLowerCase()).join(', ')}.
        </p>
      )}
    </div>
  );
}

export const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="border-b border-line px-4 py-3 md:px-5">
    <dt className="text-xs text-faint">{title}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
);

interface Inner {
  readonly resolve: Resolve;
  readonly row: Resource;
}

/** The members of an object, or the entries of a map, in one line. */
function Group({ value, schema, resolve, row }: Inner & { value: Resource; schema: Schema }) {
  // The id of what the page is about says nothing on it.
  const members = membersOf(schema, resolve).filter(
    ([name]) => !isEmpty(value[name]) && value[name] !== row['id'],
  );
  if (members.length === 0) return <Labels labels={value as Readonly<Record<string, string>>} />;
  return (
    <span className="flex flex-wrap gap-x-5 gap-y-1">
      {members.map((member) => (
        <span key={member[0]} className="min-w-0 wrap-anywhere">
          <span className="text-sm text-faint">
            {/* Shown by its name. */}
            {member[0] === 'id' && isId(value['id']) ? 'Name' : titleOf(member)}
          </span>{' '}
          <Value name={member[0]} value={value[member[0]]} schema={member[1]} row={row} />
        </span>
      ))}
    </span>
  );
}

/** A list of objects: each in a row of its own. */
function Several({ member, items, resolve, row }: Inner & { member: Member; items: readonly Resource[] }) {
  const schema = (member[1]['items'] ?? {}) as Schema;
  return (
    <section>
      <h3 className="mb-2 text-sm font-medium">{titleOf(member)}</h3>
      <ul className="card divide-y divide-line">
        {items.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items may have no names of their own.
          <li key={i} className="px-4 py-3 md:px-5">
            <Group value={each} schema={schema} resolve={resolve} row={row} />
          </li>
        ))}
      </ul>
    </section>
  );
}
