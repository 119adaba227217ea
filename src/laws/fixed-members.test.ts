/** An update that is sent a member of the resource which it does not take is told which call changes it, if any does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { bodyOf, createWorld, endpoints, urlOf, type World } from './walk.ts';

const updates = endpoints.filter(({ resource, body }) => resource.role === 'update' && body !== undefined);
const memberNames = (schema: unknown): string[] => Object.keys((schema as JsonSchema).properties ?? {});

const fixedIn = ({ answers, body }: Endpoint): string[] =>
  memberNames(Object.values(answers)[0]).filter((name) => !memberNames(body).includes(name));

const changersOf = (update: Endpoint) =>
  endpoints.filter(({ path, changes }) => changes !== undefined && path.startsWith(`${update.path}/`));

it('every call that says what it changes names members that the update of the resource shows and refuses', () => {
  const found = updates.flatMap((update) =>
    changersOf(update).map(({ id, changes = [] }) => [
      id,
      changes.filter((each) => !fixedIn(update).includes(each)),
    ]),
  );
  expect(found.length).toBeGreaterThan(4);
  expect(found.filter(([, wrong]) => wrong?.length !== 0)).toEqual([]);
  const declared = endpoints.filter(({ changes }) => changes !== undefined).map(({ id }) => id);
  expect(found.map(([id]) => id).sort()).toEqual(declared.sort());
});

describe('an update refuses', () => {
  let app: TestApp;
  let world: World;

  beforeAll(async () => {
    app = await createTestApp();
    world = await createWorld(app);
  });

  afterAll(() => app.close());

  it.each(updates)('$id what others change', async (update) => {
    const fixed = fixedIn(update);
    const url = urlOf(update, update.example.params);
    const payload = { ...(bodyOf(update) as object), ...Object.fromEntries(fixed.map((name) => [name, 1])) };
    const response = await app.call({ method: update.method, url, payload, key: world.key.key });
    const { errors } = response.json<{ errors: { pointer: string; code: string; detail: string }[] }>();
    const expected = fixed.map((name) => {
      const changer = changersOf(update).find(({ changes = [] }) => changes.includes(name));
      const caution = changer?.access === 'destructive' ? ', but destroys data: see its dry run first' : '';
      const detail =
        changer === undefined
          ? `${name} cannot be changed; leave it out.`
          : `This call cannot change ${name}; ${changer.method} ${changer.path.replace(update.path, url)} (${changer.id}) does${caution}.`;
      return { pointer: `/${name}`, code: 'immutable', detail };
    });
    expect(errors).toEqual(expected);
  });
});
