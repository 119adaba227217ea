/** Every call with a body can be filled from the OpenAPI document, and does what the document says of its members. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Endpoint, Reply } from '../kernel/record.ts';
import type { Reference } from '../kernel/reference.ts';
import { alternativeOf } from '../kernel/variants.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { NOTHING, pointerTo, put } from './broken-input.ts';
import { exemptFrom } from './exemptions.ts';
import { fixtureOf } from './fixtures.ts';
import { Filler, type Form, type FormSchema, formsOf, plainOf } from './forms.ts';
import { sample, triesAll } from './sample.ts';
import { createWorld, endpoints, type Params, paramNames, paramsFor, urlOf, type World } from './walk.ts';

const takingBody = endpoints.filter(({ body }) => body !== undefined);
const withBody = sample(takingBody);
const unfilled = exemptFrom('formsFilled').filter((form) =>
  withBody.some(({ id }) => id === form.split(' ')[0]),
);
const MACHINES = '/flexible-vps/v1/vms';
/** What the pickers of the forms list, besides machines and snapshots. */
const PICKED = ['ssh-keys', 'networks', 'placement-groups', 'images'];

interface Trial {
  readonly form: Form;
  readonly body: unknown;
}

let app: TestApp;
let world: World;
let filler: Filler;
const accepted: Trial[] = [];
const refused: string[] = [];

const handlers = new Map<Endpoint, Endpoint['handle']>();
let last: { readonly reply: Reply; readonly started: readonly unknown[] } | undefined;

/** Notes what a handler answers and starts: the answer to a dry run shows less, and its changes are rolled back. */
function watch(endpoint: Endpoint): void {
  const { handle } = endpoint;
  handlers.set(endpoint, handle);
  (endpoint as { handle: Endpoint['handle'] }).handle = async (call, prepared) => {
    const started: unknown[] = [];
    const watched = new Proxy(call, {
      get(target, name) {
        if (name !== 'start') return Reflect.get(target, name, target);
        return (work: Parameters<typeof target.start>[0]) => {
          started.push(work.input);
          return target.start(work);
        };
      },
    });
    last = { reply: await handle.call(endpoint, watched, prepared), started };
    return last.reply;
  };
}

async function makeMachine(withSnapshot: boolean): Promise<Params> {
  const id = (await fixtureOf(MACHINES)?.make?.(world, {})) ?? '';
  if (withSnapshot) await fixtureOf(`${MACHINES}/{id}/snapshots`)?.make?.(world, { id });
  return { id };
}

/** The resources in the path. All calls on a machine share two machines, because a dry run changes nothing. */
async function placesOf(endpoint: Endpoint, machines: readonly Params[]): Promise<readonly Params[]> {
  const isOfMachine = endpoint.path.startsWith(`${MACHINES}/`) && paramNames(endpoint).length === 1;
  return isOfMachine ? machines : [await paramsFor(endpoint, world)];
}

/** Whether the form has what it must have and the alternatives that it is about: there may be nothing to pick for them. */
const isWhole = ({ endpoint, choices }: Form, body: unknown): boolean => {
  const required = ((endpoint.body as FormSchema).required ?? []).map((name) => `/${name}`);
  return [...required, ...Object.keys(choices)].every(
    (pointer) => valueAt(body, pointer.replaceAll('*', '0').split('/').slice(1)) !== undefined,
  );
};

/** A form says nothing about the state of the machine, so one of the two machines must accept it. */
async function tryPlaces(endpoint: Endpoint, places: readonly Params[]): Promise<void> {
  const open = new Set<string>();
  for (const form of places.flatMap((params) => formsOf(endpoint, params))) {
    if (accepted.some((trial) => trial.form.title === form.title)) continue;
    const body = await filler.fill(form);
    const isAccepted = isWhole(form, body) && (await dryRun(form, body)).statusCode === 200;
    if (isAccepted) accepted.push({ form, body });
    open[isAccepted ? 'delete' : 'add'](form.title);
  }
  refused.push(...open);
}

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  filler = new Filler(world);
  for (const path of PICKED) await paramsFor({ path: `/flexible-vps/v1/${path}/{id}` }, world);
  const others = new Map<Endpoint, readonly Params[]>();
  // Also those that are not tried: the pickers offer the resources in their paths.
  for (const endpoint of takingBody) others.set(endpoint, await placesOf(endpoint, []));
  const [running, stopped] = [await makeMachine(false), await makeMachine(true)];
  await fixtureOf(MACHINES)?.settles?.['stopped']?.(world, stopped['id'] ?? '');
  withBody.forEach(watch);
  for (const endpoint of withBody) {
    const places = others.get(endpoint) ?? [];
    await tryPlaces(endpoint, places.length === 0 ? [running, stopped] : places);
  }
});

afterAll(async () => {
  for (const [endpoint, handle] of handlers) (endpoint as { handle: Endpoint['handle'] }).handle = handle;
  await app.close();
});

const MOST_REPEATS = 5;

/** A busy machine may answer 503 and ask to repeat the call, which says nothing about the form. */
async function dryRun({ endpoint, params }: Form, body: unknown) {
  last = undefined;
  const url = urlOf(endpoint, params, { dry_run: true });
  const request = { method: endpoint.method, url, payload: body as object, key: world.key.key };
  let answer = await app.call(request);
  for (let i = 0; answer.statusCode === 503 && i < MOST_REPEATS; i += 1) answer = await app.call(request);
  return answer;
}

it('each alternative of each form is accepted with values from its pickers, enums, defaults and examples', () => {
  expect(refused.toSorted()).toEqual(unfilled);
  expect(accepted.length).toBeGreaterThan(triesAll ? 25 : 0);
});

interface Member {
  readonly at: readonly string[];
  readonly schema: FormSchema;
}

/** The members that this body has or could have, in the alternatives that it chooses. */
function membersIn(whole: FormSchema, value: unknown, at: readonly string[] = []): Member[] {
  const schema = plainOf(alternativeOf(whole, value));
  const items = schema.items as FormSchema | undefined;
  const described = items === undefined ? {} : { description: schema.description ?? '' };
  const parts: [string, FormSchema][] =
    items === undefined
      ? Object.entries(schema.properties ?? {})
      : Array.isArray(value)
        ? [['0', items]]
        : [];
  return parts.flatMap(([name, member]) => [
    { at: [...at, name], schema: { ...described, ...plainOf(member) } },
    ...membersIn(member, (value as Readonly<Record<string, unknown>> | undefined)?.[name], [...at, name]),
  ]);
}

const membersOf = ({ form, body }: Trial): Member[] => membersIn(form.endpoint.body as FormSchema, body);

const valueAt = (value: unknown, at: readonly string[]): unknown =>
  at.reduce<unknown>(
    (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
    value,
  );

/** What a call would do: its answer, the input of its operations, its effects and its cost. */
async function outcomeOf(form: Form, body: unknown): Promise<unknown> {
  const answer = await dryRun(form, body);
  expect([form.title, answer.statusCode, answer.body]).toEqual([form.title, 200, expect.anything()]);
  return { foreseen: answer.json(), reply: last?.reply.body ?? null, started: last?.started ?? [] };
}

/** Replaces by a dash what differs between two equal calls: ids, times, random numbers. */
function withoutChance(value: unknown, twin: unknown): unknown {
  if (JSON.stringify(value) === JSON.stringify(twin)) return value;
  if (value === null || typeof value !== 'object' || twin === null || typeof twin !== 'object') return '-';
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    withoutChance(part, (twin as Readonly<Record<string, unknown>>)[name]),
  ]);
  return Object.fromEntries(entries);
}

/** The body in which the member matters. */
function bodyFor({ body }: Trial, { at, schema }: Member): unknown {
  const { member = '', is = [] } = schema['x-when'] ?? {};
  const isSimple = is.length > 0 && !member.includes('/');
  return isSimple ? put(body, [...at.slice(0, -1), member], is[0]) : body;
}

function defaultsIn(schema: FormSchema, at = ''): string[] {
  const { default: own, properties = {}, items } = plainOf(schema);
  const branches = schema.oneOf ?? [];
  return [
    ...(own === undefined ? [] : [at]),
    ...branches.flatMap((branch) => defaultsIn(branch, at)),
    ...Object.entries(properties).flatMap(([name, member]) => defaultsIn(member, `${at}/${name}`)),
    ...(items === undefined ? [] : defaultsIn(items, `${at}/0`)),
  ];
}

it('a member that is left out has the effect of its default', async () => {
  const differing: string[] = [];
  const tried = new Set<string>();
  for (const trial of accepted) {
    for (const member of membersOf(trial)) {
      const name = `${trial.form.endpoint.id} ${pointerTo(member.at)}`;
      if (member.schema.default === undefined || tried.has(name)) continue;
      tried.add(name);
      const whole = put(bodyFor(trial, member), member.at, member.schema.default);
      const without = put(whole, member.at, NOTHING);
      const once = await outcomeOf(trial.form, without);
      const expected = withoutChance(once, await outcomeOf(trial.form, without));
      const explicit = withoutChance(expected, await outcomeOf(trial.form, whole));
      if (JSON.stringify(explicit) !== JSON.stringify(expected)) differing.push(name);
    }
  }
  expect(differing).toEqual([]);
  const declared = withBody
    .filter(({ id }) => !unfilled.includes(id))
    .flatMap(({ id, body }) => defaultsIn(body as FormSchema).map((pointer) => `${id} ${pointer}`));
  expect([...new Set(declared)].filter((name) => !tried.has(name)).sort()).toEqual([]);
});

/** Refusals that are about the present state of something and not about the values of the form. */
const OF_STATE = ['invalid_state', 'vm_not_stopped', 'operation_in_progress', 'capacity_unavailable'];

/** Whether the pointer leads into an object whose members the schema does not name. */
function isFree(schema: FormSchema | undefined, [first, ...rest]: readonly string[]): boolean {
  if (schema === undefined || first === undefined) return false;
  const { type, properties, items } = plainOf(schema);
  if (type === 'object' && properties === undefined) return true;
  return isFree((items ?? properties?.[first]) as FormSchema | undefined, rest);
}

/** Null if the dry run accepts the form. */
async function refusalOf(form: Form, body: unknown): Promise<string | null> {
  const answer = await dryRun(form, body);
  if (answer.statusCode === 200) return null;
  const { code, errors = [] } = answer.json<{ code: string; errors?: { pointer: string }[] }>();
  const schema = form.endpoint.body as FormSchema;
  const isElsewhere =
    code === 'validation_failed' &&
    errors.every(({ pointer }) => isFree(schema, pointer.split('/').slice(1)));
  return isElsewhere || OF_STATE.includes(code) ? null : answer.body;
}

interface Picked {
  readonly at: readonly string[];
  readonly reference: Reference;
}

const placeOf = (at: readonly string[]): string => pointerTo(at).replaceAll(/\/0(?=\/|$)/g, '/*');

/** The members with a picker that the body has, and those of an item that could be added to a list. */
const pickedIn = (trial: Trial): Picked[] =>
  membersOf(trial).flatMap(({ at, schema }) => {
    const reference = schema['x-ref'];
    const isPossible = valueAt(trial.body, at) !== undefined || at.at(-2) === '0';
    return reference === undefined || !isPossible ? [] : [{ at, reference }];
  });

/** Whether the values of one member depend on another. */
const isNarrowedBy = ({ reference }: Picked, { at }: Picked): boolean =>
  Object.values(reference.filters ?? {}).some(
    (filter) => 'from' in filter && [filter.from].flat().includes(placeOf(at)),
  );

it('each value that a picker offers is accepted, and each pair of which one narrows the other', async () => {
  const wrong: string[] = [];
  const tried = new Set<string>();
  const choose = (form: Form, { at }: Picked, value: string): Form => ({
    ...form,
    choices: { ...form.choices, [placeOf(at)]: value },
    isPicked: true,
  });
  /** Tries one choice, then each choice of the members that it narrows. */
  async function choosing(trial: Trial, picked: Picked, value: string, others: readonly Picked[]) {
    const form = choose(trial.form, picked, value);
    const body = await filler.fill(form);
    // With another machine or location, there may be nothing left to pick for other members.
    if (!isWhole(form, body)) return;
    const refusal = await refusalOf(form, body);
    if (refusal !== null) wrong.push(`${form.title} ${JSON.stringify(form.choices)}: ${refusal}`);
    for (const other of others.filter((each) => isNarrowedBy(each, picked)))
      for (const next of await filler.candidates(form, body, other.reference))
        if (next !== valueAt(body, other.at)) await choosing({ form, body }, other, next, []);
  }
  for (const trial of accepted) {
    const all = pickedIn(trial);
    for (const picked of all) {
      const name = `${trial.form.endpoint.id} ${pointerTo(picked.at)}`;
      if (tried.has(name)) continue;
      tried.add(name);
      for (const value of await filler.candidates(trial.form, trial.body, picked.reference))
        await choosing(trial, picked, value, all);
    }
  }
  expect(wrong).toEqual([]);
  if (!triesAll) return;
  expect([...tried]).toContain('createVm /fallbacks/0/plan');
  expect(tried.size).toBeGreaterThan(20);
}, 900_000);

/** Ways to write the same value: with spaces around it, in capitals, without decimals, a time in another zone. */
const spellingsOf = (text: string): string[] => [
  text,
  ` ${text} `,
  text.toUpperCase(),
  text.replace(/\.00$/, ''),
  text.replace(/Z$/, '+00:00'),
];

/** Calls that answer with the resource as it will be. */
const showsResult = ({ resource, answers, startsSometimes }: Endpoint): boolean =>
  ['create', 'declare'].includes(resource.role) ||
  (resource.role === 'update' && (answers[202] === undefined || startsSometimes === true));

it('a text that is not returned as it was sent says how it is stored', async () => {
  const silent = new Set<string>();
  const changed = new Set<string>();
  const tried = new Set<string>();
  for (const trial of accepted.filter(({ form }) => showsResult(form.endpoint))) {
    for (const { at, schema } of membersOf(trial)) {
      const name = `${trial.form.endpoint.id} ${pointerTo(at)}`;
      if (schema['x-ref'] !== undefined || schema.enum !== undefined || tried.has(name)) continue;
      const given = valueAt(trial.body, at);
      if (given !== undefined) tried.add(name);
      for (const spelling of typeof given === 'string' ? spellingsOf(given) : []) {
        const answer = await dryRun(trial.form, put(trial.body, at, spelling));
        const shown = answer.statusCode === 200 ? valueAt(last?.reply.body, at) : undefined;
        if (typeof shown !== 'string' || shown === spelling) continue;
        changed.add(name);
        if (!/stored as/i.test(schema.description ?? '')) silent.add(`${name}: ${spelling} became ${shown}`);
      }
    }
  }
  expect([...silent]).toEqual([]);
  if (triesAll) expect(changed.size).toBeGreaterThan(3);
});
