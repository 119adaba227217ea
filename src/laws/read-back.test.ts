/**
 * What a creation was sent can be read again, as the marks of the specification say: by the call that `x-resource`
 * names, each member under its name or where `x-read-as` says, and only what is `x-volatile` changes by itself. An
 * update that sends back what was read changes nothing.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Managed, managedResources, membersOf } from '../kernel/managed-resource.ts';
import { type ReadPlace, readPlacesIn, valuesOf } from '../kernel/member-marks.ts';
import { memberMarks } from '../surfaces/openapi/member-marks.ts';
import type { ResourceMark } from '../surfaces/openapi/model.ts';
import { resourceMark } from '../surfaces/openapi/resource-mark.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { exemptFrom } from './exemptions.ts';
import { cases, type Json, lastingIn, type Made, make, pathOf, readBy, valuesAt } from './made-resources.ts';
import { aboutAll, sampleBy } from './sample.ts';
import { createWorld, endpoints, type World } from './walk.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp({ works: false });
  world = await createWorld(app);
});
afterAll(() => app.close());

/** Whether a value shows all of what was sent: members and items that were not sent may be there too. */
function shows(read: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return Array.isArray(read) && sent.every((each) => read.some((is) => shows(is, each)));
  if (sent === null || typeof sent !== 'object') return read === sent;
  return Object.entries(sent).every(([name, each]) => shows((read as Json | null)?.[name], each));
}

function isShownAt(resource: Json, place: ReadPlace, sent: unknown): boolean {
  if (typeof place === 'string') return valuesAt(resource, place).some((each) => shows(each, sent));
  if ('present' in place) return valuesAt(resource, place.present).some((each) => each !== null) === sent;
  return valuesAt(resource, place.sha256)[0] === createHash('sha256').update(String(sent)).digest('hex');
}

const marks = memberMarks(endpoints);
const tried = new Set<string>();

/** The pointers of what was sent and is not where the specification says. */
function notShown({ creator }: Managed, sent: unknown, resource: Json): string[] {
  const { body } = creator;
  if (body === undefined) return [];
  const places = readPlacesIn(body);
  const top = Object.entries(marks.get(membersOf(body)) ?? {}).filter(([, mark]) => 'writeOnly' in mark);
  const hidden = new Set([
    ...top.map(([name]) => `/${name}`),
    ...valuesOf(body, 'writeOnly').map(([at]) => at),
  ]);
  const look = (value: unknown, at: string): string[] => {
    const place = places.get(at);
    if (place !== undefined) {
      tried.add(`${creator.id} ${at}`);
      return isShownAt(resource, place, value) ? [] : [at];
    }
    if (hidden.has(at) || value === undefined) return [];
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    if (isObject) return Object.entries(value).flatMap(([name, each]) => look(each, `${at}/${name}`));
    return isShownAt(resource, at, value) ? [] : [at];
  };
  return look(sent, '');
}

const isVolatile = ({ shape }: Managed, member: string): boolean =>
  valuesOf(shape, 'x-volatile').some(([at]) => at === `/${member}`);

describe.each(sampleBy(cases, ({ managed }) => managed.creator))('$title', (each) => {
  const { managed } = each;
  const { creator, updater } = managed;
  let made: Made;
  let read: Json;

  beforeAll(async () => {
    made = await make(each, world);
    read = await readBy(resourceMark(creator, endpoints), made.names, world);
  });

  it('creates a resource that can be read back with everything that was sent', () => {
    expect(notShown(managed, made.sent, read)).toEqual([]);
  });

  it('changes only volatile members while its operation runs', () => {
    // The call that adds a part answers with the resource that has it.
    const answered = creator.part === undefined ? made.answer : read;
    expect(lastingIn(managed, read)).toEqual(lastingIn(managed, answered));
  });

  it('is not changed by an update with the values that were read', async () => {
    if (updater === undefined) return;
    const settable = Object.keys(membersOf(updater.body)).filter((name) => name in read);
    const answer = await app.call({
      method: updater.method,
      url: pathOf(updater, made.names, { dry_run: true }),
      payload: Object.fromEntries(settable.map((name) => [name, read[name]])),
      key: world.key.key,
    });
    expect(answer.statusCode, answer.body).toBe(200);
    const { effects, cost } = answer.json<{ effects: { action: string }[]; cost: { monthly: string } }>();
    expect([effects.map(({ action }) => action), cost.monthly]).toEqual([[], '0.00']);
  });

  it('can be deleted by its delete call', async () => {
    const marked = ({ name, role }: ResourceMark) => name === managed.name && role === 'delete';
    const deleter = endpoints.find((endpoint) => marked(resourceMark(endpoint, endpoints)));
    // Orders and messages stay for good.
    if (deleter === undefined) return;
    const url = pathOf(deleter, made.names, { ...deleter.example.query, dry_run: true });
    const answer = await app.call({ method: 'DELETE', url, key: world.key.key });
    const { effects = [] } = answer.json<{ effects?: { action: string }[] }>();
    const gone = effects.filter(({ action }) => ['delete', 'detach'].includes(action));
    expect(gone.length, answer.body).toBeGreaterThan(0);
  });
});

it('every member that is read under another name is tested', ({ skip }) => {
  aboutAll(skip);
  const all = managedResources(endpoints).flatMap(({ creator }) =>
    [...readPlacesIn(creator.body ?? {}).keys()].map((at) => `${creator.id} ${at}`),
  );
  expect(all.filter((each) => !tried.has(each)).sort()).toEqual(exemptFrom('readBack'));
});

it('a member that an update sets is not volatile', () => {
  const found = managedResources(endpoints).flatMap((managed) =>
    Object.keys(membersOf(managed.updater?.body)).filter((name) => isVolatile(managed, name)),
  );
  expect(found).toEqual([]);
});
