/**
 * Which members can be set is what the marks of the specification say (`readOnly`, `x-immutable`, `x-changed-by`): an
 * update that is sent another member of the resource, or one that only its creation takes, is told which call changes
 * it, if any does.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changedBy,
  type Managed,
  managedResources,
  membersOf,
  subjectOf,
} from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { TSchema } from '../kernel/schema.ts';
import { memberMarks } from '../surfaces/openapi/member-marks.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { sampleBy } from './sample.ts';
import { bodyOf, createWorld, endpoints, probeOf, urlOf, type World } from './walk.ts';

const managed = managedResources(endpoints);
const marks = memberMarks(endpoints);
const marksIn = (schema: TSchema | undefined) => Object.entries(marks.get(membersOf(schema)) ?? {});
const marked = (schema: TSchema | undefined, ...words: string[]): string[] =>
  marksIn(schema).flatMap(([name, mark]) => (words.some((word) => word in mark) ? [name] : []));

/** The members that the specification says an update does not take. */
const fixedIn = ({ shape, creator }: Managed): string[] => [
  ...new Set([
    ...marked(creator.body, 'x-immutable', 'x-changed-by'),
    ...marked(shape, 'readOnly', 'x-immutable', 'x-changed-by'),
  ]),
];

const byId = (id: string): Endpoint | undefined => endpoints.find((each) => each.id === id);

function hasPointer(schema: TSchema | undefined, pointer: string): boolean {
  const [, name = '', ...deeper] = pointer.split('/');
  const member = membersOf(schema)[name];
  if (deeper.length === 0 || member === undefined) return member !== undefined;
  return hasPointer(member, `/${deeper.join('/')}`);
}

it('every call that declares what it changes names fixed members of a resource, and the body member that decides them', () => {
  const declared = endpoints.flatMap(({ id, changes = {} }) =>
    Object.entries(changes).map(([member, pointer]) => `${id} ${member} ${pointer}`),
  );
  const found = managed.flatMap((each) =>
    [...each.changes].flatMap(([member, by]) =>
      Object.entries(by)
        .filter(([id, pointer]) => fixedIn(each).includes(member) && hasPointer(byId(id)?.body, pointer))
        .map(([id, pointer]) => `${id} ${member} ${pointer}`),
    ),
  );
  expect(found.length).toBeGreaterThan(4);
  expect(found.sort()).toEqual(declared.sort());
});

it('every member that can be set is shown under its name, or marked as shown elsewhere or never', () => {
  for (const { name, creator, updater } of managed)
    for (const body of [creator.body, updater?.body])
      for (const member of Object.keys(membersOf(body)))
        expect([name, member, marksIn(body).some(([each]) => each === member)]).toEqual([name, member, true]);
});

it('every member of a resource without a mark is accepted by its update', () => {
  const fixed = ['readOnly', 'x-immutable', 'x-changed-by'];
  const wrong = managed.flatMap(({ name, shape, updater }) =>
    marksIn(shape)
      .filter(
        ([member, mark]) => !fixed.some((word) => word in mark) && !(member in membersOf(updater?.body)),
      )
      .map(([member]) => `${name} ${member}`),
  );
  expect(wrong).toEqual([]);
});

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});

afterAll(() => app.close());

interface Refusal {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

async function refusalsOf(endpoint: Endpoint, members: readonly string[]): Promise<Refusal[]> {
  const { method, url } = probeOf(endpoint);
  const payload = {
    ...(bodyOf(endpoint) as object),
    ...Object.fromEntries(members.map((name) => [name, 1])),
  };
  const answer = await app.call({ method, url, payload, key: world.key.key });
  return answer.json<{ errors: Refusal[] }>().errors;
}

const updated = managed.flatMap((each) =>
  each.updater?.body === undefined ? [] : [{ ...each, id: each.updater.id, updater: each.updater }],
);

describe('an update refuses', () => {
  it.each(sampleBy(updated, ({ updater }) => updater))(
    '$id a member that it cannot change, and names the call that can',
    async (each) => {
      const { updater, creator } = each;
      const fixed = fixedIn(each);
      const expected = fixed.map((name) => {
        const [[by = '', pointer = ''] = []] = Object.entries(changedBy(each, name));
        const changer = byId(by);
        const caution = changer?.access === 'destructive' ? ', but destroys data: see its dry run first' : '';
        const [own, type] = [urlOf(updater, updater.example.params), subjectOf(updater).name];
        const another = Object.hasOwn(membersOf(creator.body), name)
          ? `, or create another ${type.replaceAll('_', ' ')}`
          : '';
        const detail =
          changer === undefined
            ? `${name} cannot be changed; leave it out${another}.`
            : changer.id === updater.id
              ? `To change ${name}, send ${pointer.slice(1).replaceAll('/', '.')}.`
              : `This call cannot change ${name}; ${changer.method} ${changer.path.replace(updater.path, own)} (${changer.id}) does${caution}.`;
        return { pointer: `/${name}`, code: 'immutable', detail };
      });
      expect(fixed.length).toBeGreaterThan(0);
      expect(await refusalsOf(updater, fixed)).toEqual(expected);
    },
  );
});

describe('a creation refuses', () => {
  const created = managed.map((each) => ({ ...each, id: each.creator.id }));

  it.each(sampleBy(created, ({ creator }) => creator))(
    '$id a member that only the server sets',
    async ({ creator, shape }) => {
      const names = marked(shape, 'readOnly').filter((name) => !(name in membersOf(creator.body)));
      const refused = await refusalsOf(creator, names);
      expect(refused.map(({ pointer }) => pointer)).toEqual(names.map((name) => `/${name}`));
      const codes = creator.resource.role === 'declare' ? ['immutable'] : ['unknown_member'];
      expect([...new Set(refused.map(({ code }) => code))]).toEqual(codes);
    },
  );
});
