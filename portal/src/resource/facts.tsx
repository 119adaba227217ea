import type { ReactNode } from 'react';
import type { Resource } from '../data/product.ts';
import { spoken } from '../data/words.ts';
import type { Resolve, Schema } from '../form/document.ts';
import { Copy } from '../ui/code.tsx';
import { membersOf, type Shape } from './schema.ts';
import { Labels, Value } from './value.tsx';
import { isEmpty, isNamed, isPrice } from './values.ts';

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

const titleOf = ([name, schema]: Member): string =>
  String(schema['x-label'] ?? spoken(name.replace(/_ids?$/, '')));

const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || isPrice(value) || isNamed(value) || Array.isArray(value);

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
  const filled = shown.filter(([name]) => !isEmpty(row[name])).toSorted((a, b) => rank(a) - rank(b));
  const plain = filled.filter(([name]) => isPlain(row[name]) && !hasObjects(row[name]));
  const nested = filled.filter((member) => !plain.includes(member));
  const empty = shown.filter(([name]) => isEmpty(row[name]));
  return (
    <div className="grid gap-6">
      <dl className="card grid grid-cols-1 divide-line overflow-hidden sm:grid-cols-2 lg:grid-cols-3">
        {plain.map((member) => (
          <Fact key={member[0]} title={titleOf(member)}>
            {member[0] === 'id' ? (
              <>
                <code className="break-all">{String(row['id'])}</code>
                <Copy text={String(row['id'])} label="Copy" className="btn btn-quiet btn-small -my-1 ml-1" />
              </>
            ) : (
              <Value value={row[member[0]]} schema={member[1]} row={row} />
            )}
          </Fact>
        ))}
      </dl>
      {nested.map((member) => (
        <Nested key={member[0]} member={member} value={row[member[0]]} resolve={shape.resolve} row={row} />
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

/** An object, or a list of objects, as a small table of its own. */
function Nested(props: { member: Member; value: unknown; resolve: Resolve; row: Resource }) {
  const { member, value, resolve, row } = props;
  const [, schema] = member;
  const list = Array.isArray(value) ? (value as readonly Resource[]) : [value as Resource];
  const inner = Array.isArray(value) ? ((schema['items'] ?? {}) as Schema) : schema;
  const members = membersOf(inner, resolve);
  return (
    <section>
      <h3 className="mb-2 text-sm font-medium">{titleOf(member)}</h3>
      <div className="grid gap-2">
        {list.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items may have no names of their own.
          <dl key={i} className="card grid grid-cols-1 overflow-hidden sm:grid-cols-2 lg:grid-cols-4">
            {members.length === 0 ? (
              <Fact title="Value">
                <Labels labels={each as unknown as Readonly<Record<string, string>>} />
              </Fact>
            ) : (
              members
                .filter(([name]) => !isEmpty(each[name]))
                .map((inside) => (
                  <Fact key={inside[0]} title={titleOf(inside)}>
                    <Value value={each[inside[0]]} schema={inside[1]} row={row} />
                  </Fact>
                ))
            )}
          </dl>
        ))}
      </div>
    </section>
  );
}
