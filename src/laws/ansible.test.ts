/**
 * What every Ansible role promises, tried with the real ansible-playbook: the second run changes nothing, check mode
 * writes nothing, what cannot be changed is refused, no secret is printed. Each resource is a host of one run, for speed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../engines/sandbox/store.ts';
import { families } from '../families/index.ts';
import { LIMIT, type RateLimitStore, rateLimitResult } from '../kernel/rate-limit/port.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { detailsIn } from '../surfaces/iac/ansible/details.ts';
import { ansibleFiles } from '../surfaces/iac/ansible/files.ts';
import { roleActions, roleInputs } from '../surfaces/iac/ansible/role-inputs.ts';
import type { Input } from '../surfaces/iac/inputs.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import {
  type Ansible,
  type Hosts,
  play,
  type Run,
  renamed,
  whyNoAnsible,
  writeCollection,
} from '../testing/ansible.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isLong } from '../testing/long-form.ts';
import { noLimit } from '../testing/no-limit.ts';
import {
  another,
  anything,
  comparedInputs,
  creatingCalls,
  hiddenIn,
  type Members,
  type Subject,
  secretsIn,
  UNTRIED,
} from './ansible-values.ts';
import { exemptFrom } from './exemptions.ts';
import { collect } from './fixtures.ts';
import { valuesFor } from './second-values.ts';
import { createWorld, endpoints, type Params, paramsFor, requestTo, type World } from './walk.ts';
import { freshName } from './world.ts';

const why = whyNoAnsible();
const HASH = 'the-hash-of-the-document';
const calls: string[] = [];
const secrets = new Set<string>();
let refusals = 0;

/** Called after the next answer; then forgotten. */
let afterAnswer: (() => Promise<unknown>) | undefined;

/** Lets everything pass except the next `refusals` requests. */
const limiter: RateLimitStore = {
  ...noLimit,
  take: (...call) =>
    refusals > 0 ? rateLimitResult(refusals-- < 0, LIMIT, LIMIT, 1000) : noLimit.take(...call),
};

let app: TestApp;
let world: World;
let ansible: Ansible;
const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const detailsOf = detailsIn(document);
const subjects = new Map<string, Subject>();

/** What the account had before Ansible came. */
let before: string[];

const creations = collect('creations');

async function subjectOf(
  resource: ManagedResource,
  vary?: (world: World) => Promise<object>,
): Promise<Subject> {
  const creator = endpoints.find(({ id }) => id === resource.create.id)!;
  const outer = { path: creator.path.slice(0, creator.path.lastIndexOf('/')) as Endpoint['path'] };
  const params: Params = await paramsFor(outer, world);
  const name = freshName();
  const path = resource.isDeclared ? { ...params, [resource.parameter]: name } : params;
  const { payload } = await requestTo(creator, world, { params: path });
  const body = { ...(payload as Members), ...(await vary?.(world)) };
  const { parent, key, isDeclared } = resource;
  return {
    resource,
    given: {
      ...(parent && { [parent.input]: params[parent.parameter] }),
      ...(isDeclared ? { [key]: name } : {}),
      ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
    },
  };
}

beforeAll(async () => {
  if (why !== null) return;
  app = await createTestApp({
    works: true,
    limiter,
    server: {
      witness: ({ id, method }, _, body) => {
        calls.push(`${method} ${id}`);
        for (const secret of secretsIn(body)) secrets.add(secret);
        void afterAnswer?.();
        afterAnswer = undefined;
      },
    },
  });
  world = await createWorld(app);
  const folder = await makeTemporaryFolder();
  const url = await app.app.listen({ host: '127.0.0.1', port: 0 });
  ansible = { folder, url, key: world.key.key };
  await writeCollection(folder, ansibleFiles({ model, document, detailsOf, hash: HASH }));
  for (const resource of model.resources) {
    subjects.set(resource.name, await subjectOf(resource));
    for (const [i, vary] of (creations[resource.create.id] ?? []).entries()) {
      const other = await subjectOf(resource, vary);
      // Ansible starts a Python for each request, so the short form tries only those with secrets.
      const isTried = isLong || hiddenIn(resource.inputs, other.given).length > 0;
      if (isTried) subjects.set(`${resource.name}-${i + 2}`, other);
    }
  }
  before = await inventoryOf(app, ansible.key);
});

afterAll(async () => {
  await app?.close();
  if (ansible !== undefined) await removeTemporaryFolder(ansible.folder);
});

const withPrefix = ({ resource }: Subject, values: Members): Members =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${resource.name}_${name}`, value]));

/** The hosts of a run: each with what it is given, and what `more` adds. Without `more`, the host is left out. */
function hostsOf(more: (subject: Subject, host: string) => Members | undefined = () => ({})): Hosts {
  const hosts = [...subjects].flatMap(([host, subject]) => {
    const added = more(subject, host);
    if (added === undefined) return [];
    const vars = withPrefix(subject, { ...subject.given, ...added });
    return [[host, { role: subject.resource.name, ...vars }]];
  });
  return Object.fromEntries(hosts);
}

const writesIn = (made: readonly string[]): string[] => made.filter((call) => !call.startsWith('GET '));

async function run(hosts: Hosts, ...args: string[]): Promise<Run & { calls: readonly string[] }> {
  calls.length = 0;
  const done = await play(ansible, hosts, args);
  return { ...done, calls: [...calls] };
}

/** The hosts that were changed, and those that failed. */
function outcome({ recap }: Run): { changed: string[]; failed: string[] } {
  const those = (test: (host: string) => boolean) => Object.keys(recap).filter(test).sort();
  return {
    changed: those((host) => (recap[host]?.changed ?? 0) > 0),
    failed: those((host) => (recap[host]?.failed ?? 0) > 0),
  };
}

const all = (): string[] => [...subjects.keys()].sort();

function expectOutcome(done: Run, changed: readonly string[], failed: readonly string[] = []): void {
  expect(outcome(done), done.output).toEqual({ changed: [...changed].sort(), failed: [...failed].sort() });
}

/** By host: other values for all inputs that can be changed. */
const changed = new Map<string, Members>();

const identityOf = ({ resource }: Subject): string => detailsOf(resource).finding.by;

const exampleOf = ({ update }: ManagedResource): Members =>
  (endpoints.find(({ id }) => id === update?.id)?.example.body ?? {}) as Members;

/** The resource as the API shows it. */
async function readOf(subject: Subject): Promise<Members> {
  const { resource, given } = subject;
  const { finding } = detailsOf(resource);
  const path = finding.path.replace(/\{\w+\}/, String(given[resource.parent?.input ?? '']));
  const query = finding.isFiltered ? `?${finding.by}=${given[finding.by]}` : '';
  const answer = await app.call({ url: `${path}${query}`, key: ansible.key });
  const rows = answer.json<Record<string, Members[]>>()[finding.in] ?? [];
  return rows.find((row) => row[finding.by] === given[finding.by]) ?? {};
}

const readList = async (url: string) => (await app.call({ url, key: ansible.key })).json<Members>();

async function describeAs(subject: Subject, description: string): Promise<void> {
  const { id } = await readOf(subject);
  const { update, parent, parameter } = subject.resource;
  const outer = parent === undefined ? '' : String(subject.given[parent.input]);
  const path = (update?.path ?? '')
    .replace(`{${parent?.parameter}}`, outer)
    .replace(`{${parameter}}`, String(id));
  const headers = { prefer: 'wait=60' };
  const answer = await app.call({
    method: 'PATCH',
    url: path,
    payload: { description },
    headers,
    key: ansible.key,
  });
  expect(answer.statusCode, answer.body).toBe(200);
}

/** The values that `vary` gives for the inputs with this kind of change; undefined if there are none. */
function varied(
  subject: Subject,
  change: Input['change'],
  vary: (input: Input, value: unknown) => unknown,
  shown: Members = {},
): Members | undefined {
  const inputs = comparedInputs(roleInputs(subject.resource), change, identityOf(subject));
  const values = inputs.map((input) => [
    input.name,
    vary(input, subject.given[input.name] ?? shown[input.name] ?? input.default),
  ]);
  const known = values.filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Only the first host of each resource: the others differ in how they were created. */
const isFirst = ({ resource }: Subject, host: string): boolean => host === resource.name;

describe.skipIf(why !== null)(
  `the roles of Ansible${why === null ? '' : `: ${why}`}`,
  { timeout: 600_000 },
  () => {
    it('report in check mode that everything would be created, and write nothing', async () => {
      const hosts = hostsOf((subject, host) => (isFirst(subject, host) ? {} : undefined));
      const done = await run(hosts, '--check', '--diff');
      expectOutcome(done, Object.keys(hosts));
      expect(writesIn(done.calls)).toEqual([]);
    });

    it('create everything in the first run with two requests each, wait if asked to, and show no secret', async () => {
      refusals = 2;
      const done = await run(hostsOf(), '-vvv', '--diff');
      expectOutcome(done, all());
      expect(refusals).toBe(0);
      expect([done.calls.length, writesIn(done.calls).length]).toEqual([2 * subjects.size, subjects.size]);
      const given = [...subjects.values()].flatMap(({ resource, given }) => hiddenIn(resource.inputs, given));
      expect([given.length > 0, secrets.size > 0]).toEqual([true, true]);
      const hidden = [ansible.key, ...secrets, ...given];
      expect(hidden.filter((secret) => done.output.includes(secret.trim()))).toEqual([]);
    });

    it('change nothing in the second run, with one request each, and evaluate no API text as a template', async () => {
      const file = join(ansible.folder, 'run-by-a-text');
      const text = `{{ lookup('ansible.builtin.pipe', 'touch ${file}') }}`;
      const described = [...subjects.values()].filter(({ resource: { update, inputs }, given }) =>
        inputs.some(({ name }) => update && name === 'description' && given[name] === undefined),
      );
      expect(described.length).toBeGreaterThan(0);
      for (const subject of described) await describeAs(subject, text);
      const done = await run(hostsOf());
      expect(existsSync(file)).toBe(false);
      expectOutcome(done, []);
      expect([done.calls.length, writesIn(done.calls)]).toEqual([subjects.size, []]);
    });

    it('report changed inputs and deletions in check mode, and write nothing', async () => {
      for (const [host, subject] of subjects) {
        const example = exampleOf(subject.resource);
        if (!isFirst(subject, host)) continue;
        const shown = await readOf(subject);
        const further = await valuesFor(subject.resource, shown, readList);
        const vary = (input: Input, value: unknown) =>
          example[input.name] ?? another(input, value) ?? further[input.name];
        const values = varied(subject, 'update', vary, shown);
        if (values !== undefined) changed.set(host, values);
      }
      const absent = hostsOf((subject, host) => (isFirst(subject, host) ? { state: 'absent' } : undefined));
      const gone = renamed(absent, 'no');
      const done = await run({ ...hostsOf((_, host) => changed.get(host)), ...gone }, '--check', '--diff');
      expectOutcome(done, [...changed.keys(), ...Object.keys(gone)]);
      expect(writesIn(done.calls)).toEqual([]);
    });

    it('are tested with every input that can be changed, except those without a second value in the document', () => {
      const untried = [...subjects].flatMap(([host, subject]) =>
        isFirst(subject, host)
          ? comparedInputs(roleInputs(subject.resource), 'update', identityOf(subject))
              .filter(({ name }) => changed.get(host)?.[name] === undefined)
              .map(({ name }) => `${host} ${name}`)
          : [],
      );
      expect(untried).toEqual(UNTRIED);
    });

    it('change all inputs that differ', async () => {
      const done = await run(hostsOf((_, host) => changed.get(host)));
      expectOutcome(done, [...changed.keys()]);
      const actions = [...changed].flatMap(([host, values]) =>
        Object.keys(roleActions(subjects.get(host)!.resource)).filter((name) => name in values),
      );
      expect(actions).toContain('size_gb');
      expect(writesIn(done.calls).length).toBe(changed.size + actions.length);
    });

    it('change nothing in the next run, and refuse by name what cannot be changed', async () => {
      const others = new Map<string, Members>();
      for (const [host, subject] of subjects) {
        const values = isFirst(subject, host)
          ? varied(subject, 'replace', anything, await readOf(subject))
          : undefined;
        if (values !== undefined) others.set(host, values);
      }
      const refused = renamed(
        hostsOf((_, host) => others.get(host)),
        'other',
      );
      const done = await run({ ...hostsOf((_, host) => changed.get(host)), ...refused });
      expectOutcome(done, [], Object.keys(refused));
      expect(writesIn(done.calls)).toEqual([]);
      for (const [host, values] of others) {
        const [line = ''] = new RegExp(`^fatal: \\[other-${host}\\].*$`, 'm').exec(done.output) ?? [];
        const unnamed = Object.keys(values).filter((name) => !line.includes(`${host}_${name}`));
        expect([unnamed, line.includes('cannot be changed')], line).toEqual([[], true]);
      }
    });

    it('change the inputs back', async () => {
      const back = (subject: Subject, host: string): Members | undefined => {
        const values = changed.get(host);
        const again = (input: Input) => another(input, values?.[input.name]);
        return values === undefined ? undefined : varied(subject, 'update', again);
      };
      expectOutcome(await run(hostsOf(back)), [...changed.keys()]);
    });

    it.runIf(isLong)('replace what cannot be changed if allowed', async () => {
      const simple = (input: Input, value: unknown) =>
        ['boolean', 'map'].includes(input.type.kind) ? another(input, value) : undefined;
      const hosts = hostsOf((subject, host) => {
        const values = isFirst(subject, host) ? varied(subject, 'replace', simple) : undefined;
        return values === undefined ? undefined : { ...values, replace: true };
      });
      const done = await run(hosts);
      expectOutcome(done, Object.keys(hosts));
      expect(Object.keys(hosts).length).toBeGreaterThan(4);
      expect(writesIn(done.calls).length).toBe(2 * Object.keys(hosts).length);
    });

    it('delete everything, and have nothing to do in the next run', async () => {
      const hosts = hostsOf(() => ({ state: 'absent' }));
      expectOutcome(await run(hosts), all());
      const first = hostsOf((subject, host) => (isFirst(subject, host) ? { state: 'absent' } : undefined));
      const again = await run(first);
      expectOutcome(again, []);
      expect(writesIn(again.calls)).toEqual([]);
      expect(await inventoryOf(app, ansible.key)).toEqual(before);
    });

    it('leave nothing of a failed creation, which the next run repairs', async () => {
      const withoutEngines = exemptFrom('createdByEngines');
      const isAsync = ({ resource }: Subject, host: string) =>
        host === resource.name && resource.create.cleansUp && !withoutEngines.includes(host);
      const chosen = hostsOf((subject, host) => (isAsync(subject, host) ? {} : undefined));
      // Every second one is answered before its operation has ended, so that Ansible waits for the operation.
      const late = { hostplane_wait_seconds: 0 };
      const rows = Object.entries(chosen).map(([host, vars], i) => [
        host,
        { ...vars, ...(i % 2 ? late : {}) },
      ]);
      const hosts: Hosts = Object.fromEntries(rows);
      for (const call of creatingCalls) await addFault(app.services.db, { call, effect: { kind: 'fail' } });
      const failed = await run(hosts, '-vvv');
      expectOutcome(failed, [], Object.keys(hosts));
      expect(failed.output).toContain('create_failed');
      expect(failed.output).toContain('has the status failed');
      expect(await inventoryOf(app, ansible.key)).toEqual(before);
      await clearFaults(app.services.db);
      const repaired = await run(hosts);
      expectOutcome(repaired, Object.keys(hosts));
      expect(writesIn(repaired.calls).length).toBe(rows.length);
    });

    it.runIf(isLong)('wait for operations that an interrupted run has started', async () => {
      const subject = await subjectOf(subjects.get('vm')!.resource);
      const unreachable = { call: 'ensureInstance', effect: { kind: 'unreachable' } } as const;
      await addFault(app.services.db, unreachable);
      const url = subject.resource.create.path;
      const started = await app.call({ method: 'POST', url, payload: subject.given, key: ansible.key });
      expect(started.statusCode, started.body).toBe(202);
      afterAnswer = () => clearFaults(app.services.db);
      const done = await run({ vm: { role: 'vm', ...withPrefix(subject, subject.given) } });
      expectOutcome(done, []);
      expect(done.calls).toContain('GET getOperation');
    });
  },
);
