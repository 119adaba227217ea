/** The marks for forms and tables (docs/specification.md) name things that exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variantsOf } from '../kernel/variants.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { endpoints } from './walk.ts';

interface When {
  readonly member: string;
  readonly is?: readonly unknown[];
  readonly sent?: boolean;
}

type Marked = JsonSchema & {
  readonly 'x-label'?: string;
  readonly 'x-advanced'?: boolean;
  readonly 'x-when'?: When;
  readonly 'x-column'?: number;
};

interface Place {
  readonly at: string;
  readonly name: string;
  readonly schema: Marked;
  readonly parent: Marked;
}

const objectsIn = (schema: Marked): readonly Marked[] => schema.anyOf ?? schema.oneOf ?? [schema];

function membersIn(schema: Marked, at: string): Place[] {
  return objectsIn(schema).flatMap((parent) => [
    ...Object.entries(parent.properties ?? {}).flatMap(([name, member]) => [
      { at: `${at}/${name}`, name, schema: member, parent },
      ...membersIn(member, `${at}/${name}`),
    ]),
    ...(parent.items === undefined ? [] : membersIn(parent.items, at)),
  ]);
}

const bodies = endpoints.filter(({ body }) => body !== undefined);
const sent = bodies.flatMap(({ id, body }) => membersIn(body as Marked, id));
const shown = endpoints.flatMap(({ id, answers }) =>
  Object.values(answers).flatMap((answer) => (answer === null ? [] : membersIn(answer as Marked, id))),
);
const asked = endpoints.flatMap((endpoint) => membersIn(queryShapeOf(endpoint) as Marked, endpoint.id));

/** The schema of `type`, or of `source/type`, seen from the object that has the member. */
function memberAt(parent: Marked, path: string): Marked | undefined {
  return path
    .split('/')
    .reduce<Marked | undefined>(
      (inner, name) =>
        inner === undefined
          ? undefined
          : objectsIn(inner).find(({ properties = {} }) => Object.hasOwn(properties, name))?.properties?.[
              name
            ],
      parent,
    );
}

function valuesOf(parent: Marked, path: string): readonly unknown[] {
  const union = memberAt(parent, path.split('/').slice(0, -1).join('/'));
  const variants = path.includes('/') && union !== undefined ? variantsOf(union) : undefined;
  if (variants !== undefined) return [...variants.alternatives.keys()];
  const { enum: values, type } = memberAt(parent, path) ?? {};
  return values ?? (type === 'boolean' ? [true, false] : []);
}

it('x-when names another member of the same object, and values that it can have', () => {
  const found = sent.filter(({ schema }) => schema['x-when'] !== undefined);
  expect(found.length).toBeGreaterThan(15);
  const wrong = found.filter(({ name, schema, parent }) => {
    const { member, is, sent: isSent } = schema['x-when'] as When;
    const isKnown = member !== name && memberAt(parent, member) !== undefined;
    const isPossible = is?.every((value) => valuesOf(parent, member).includes(value)) && is.length > 0;
    return !isKnown || (isSent === undefined ? !isPossible : is !== undefined);
  });
  expect(wrong.map(({ at }) => at)).toEqual([]);
});

it('x-when stands only on optional members: a required one always matters', () => {
  const required = sent.filter(
    ({ name, schema, parent }) => schema['x-when'] && parent.required?.includes(name),
  );
  expect(required.map(({ at }) => at)).toEqual([]);
});

it('x-advanced stands only on members that can be left out', () => {
  const marked = sent.filter(({ schema }) => schema['x-advanced'] === true);
  expect(marked.length).toBeGreaterThan(20);
  expect(marked.filter(({ name, parent }) => parent.required?.includes(name)).map(({ at }) => at)).toEqual(
    [],
  );
});

it('x-label is short and says something else than the name', () => {
  const labelled = [...sent, ...shown, ...asked].filter(({ schema }) => schema['x-label'] !== undefined);
  expect(labelled.length).toBeGreaterThan(20);
  const wrong = labelled.filter(({ name, schema }) => {
    const label = schema['x-label'] ?? '';
    return (
      label.trim() === '' ||
      label.length > 30 ||
      label.toLowerCase().replaceAll(/[^a-z0-9]/g, '') === name.replaceAll('_', '')
    );
  });
  expect(wrong.map(({ at, schema }) => `${at}: ${schema['x-label']}`)).toEqual([]);
});

it('every resource that can be listed has 3 to 7 columns, numbered from 1', () => {
  const lists = endpoints.filter(({ resource, family }) => resource.role === 'list' && family !== 'workshop');
  const wrong = lists.flatMap(({ id, answers }) => {
    const { data } = (answers[200] as Marked).properties ?? {};
    const columns = Object.values((data?.items as Marked | undefined)?.properties ?? {})
      .flatMap((member: Marked) => member['x-column'] ?? [])
      .sort((a, b) => a - b);
    const isRight =
      columns.length >= 3 && columns.length <= 7 && columns.every((place, i) => place === i + 1);
    return isRight ? [] : [`${id}: ${columns.join(' ')}`];
  });
  expect(wrong).toEqual([]);
});

it('each mark has a section in docs/specification.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/specification.md'), 'utf8');
  const marks = ['discriminator', 'x-when', 'x-label', 'x-advanced', 'x-column'];
  expect(marks.filter((mark) => !page.includes(`## \`${mark}\``))).toEqual([]);
});
