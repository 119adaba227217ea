/**
 * Derives the marks of members from the records: what only the server sets (`readOnly`), what no answer shows
 * (`writeOnly`), what another call changes (`x-changed-by`), and what nothing changes (`x-immutable`).
 */
import {
  changedBy,
  isOfOnlyOne,
  type Managed,
  managedResources,
  membersOf,
  shownAs,
  subjectOf,
} from '../../kernel/managed-resource.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { TSchema } from '../../kernel/schema.ts';
import type { JsonSchema } from './model.ts';

type Marks = Readonly<Record<string, JsonSchema>>;

/** The key is the object that holds the members of a shape (`properties`), which copies of the shape share. */
export type MemberMarks = ReadonlyMap<object, Marks>;

const fixedMark = (managed: Managed, name: string): JsonSchema => {
  const by = changedBy(managed, name);
  return Object.keys(by).length > 0 ? { 'x-changed-by': by } : { 'x-immutable': true };
};

function requestMarks(managed: Managed, body: TSchema | undefined): Marks {
  const settable = membersOf(managed.updater?.body);
  return Object.fromEntries(
    Object.entries(membersOf(body)).map(([name, schema]) => [
      name,
      {
        ...(shownAs(managed, name, schema).length === 0 ? { writeOnly: true } : {}),
        ...(Object.hasOwn(settable, name) ? {} : fixedMark(managed, name)),
      },
    ]),
  );
}

/** The members of the resource that show what a request sets. */
const shownBy = (managed: Managed, body: TSchema | undefined): ReadonlySet<string> =>
  new Set(Object.entries(membersOf(body)).flatMap(([name, schema]) => shownAs(managed, name, schema)));

function answerMarks(managed: Managed, answer: TSchema): Marks {
  const { creator, updater, changes } = managed;
  const given = shownBy(managed, creator.body);
  const settable = shownBy(managed, updater?.body);
  const isNamed = creator.resource.role === 'declare' && !isOfOnlyOne(creator);
  const isKey = (name: string) => name === 'name' && isNamed;
  const markOf = (name: string): JsonSchema => {
    if (Object.hasOwn(membersOf(updater?.body), name)) return {};
    if (settable.has(name) || changes.has(name) || given.has(name) || isKey(name))
      return fixedMark(managed, name);
    return { readOnly: true };
  };
  return Object.fromEntries(Object.keys(membersOf(answer)).map((name) => [name, markOf(name)]));
}

/** The answers of the endpoint that show the whole resource, some of them with further members. */
function answersWith({ shape }: Managed, { answers }: Endpoint): TSchema[] {
  const all = Object.values(answers).flatMap((answer) => {
    const rows = (membersOf(answer)['data'] as { items?: TSchema } | undefined)?.items;
    return [answer, rows];
  });
  const names = Object.keys(shape.properties).filter(
    (name) => !('~optional' in (shape.properties[name] ?? {})),
  );
  return all.filter(
    (answer): answer is TSchema => answer != null && names.every((name) => name in membersOf(answer)),
  );
}

export function memberMarks(endpoints: readonly Endpoint[]): MemberMarks {
  const marks = new Map<object, Marks>();
  for (const managed of managedResources(endpoints)) {
    const { creator, updater, shape } = managed;
    for (const body of [creator.body, updater?.body])
      if (body !== undefined) marks.set(membersOf(body), requestMarks(managed, body));
    const own = endpoints.filter((each) => subjectOf(each).name === managed.name);
    const related = endpoints.filter(({ resource }) => resource.name === managed.name);
    const answers = [...own, ...related].flatMap((each) => answersWith(managed, each));
    for (const answer of [shape, ...answers]) marks.set(membersOf(answer), answerMarks(managed, answer));
  }
  return marks;
}
