/** Doing what the `next_step` of a problem says helps, and destroys nothing that the problem or the call did not name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { type ProblemCode, problems } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { isOursIn } from '../surfaces/mcp/own-sentences.ts';
import { problemAnswer } from '../surfaces/mcp/results.ts';
import { problemInToolWords } from '../surfaces/mcp/tool-words.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { exemptFrom } from './exemptions.ts';
import { Customer, type Trial } from './next-step-trial.ts';
import { accessTrials } from './next-steps-of-access.ts';
import { createTrials } from './next-steps-of-creates.ts';
import { guardedTrials, machineTrials } from './next-steps-of-machines.ts';
import { peopleTrials } from './next-steps-of-people.ts';
import { requestTrials } from './next-steps-of-requests.ts';
import { REFUSED_BEFORE_TOOLS } from './refused-before-tools.ts';

const trials = { ...accessTrials, ...requestTrials, ...machineTrials, ...createTrials, ...peopleTrials };
const { endpoints } = buildRegistry(families);
const readByModels = new Set<string>(
  endpoints
    .flatMap(possibleProblems)
    .filter((code) => !REFUSED_BEFORE_TOOLS.includes(code) && !code.startsWith('api_key_')),
);

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ portal: true });
});
afterAll(() => app.close());

/** A model follows next steps, so they must not repeat what a customer may have written. */
async function expectOwnWords(customer: Customer, { refused }: Trial): Promise<void> {
  const names = await customer.written();
  expect(names.length).toBeGreaterThan(2);
  const isIn = (name: string): boolean =>
    new RegExp(`(?<![\\w-])${name.replaceAll(/\W/g, '\\$&')}(?![\\w-])`).test(String(refused['next_step']));
  expect(names.filter(isIn)).toEqual([]);
}

/** What stands between the parts of our sentence that a model reads, where `…` replaces it. */
function hiddenIn(whole: string, shown: string): string[] {
  const parts = shown.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const [, ...hidden] = new RegExp(`^${parts.join('(.+?)')}$`, 's').exec(whole) ?? [whole, whole];
  return hidden;
}

/** MCP shows the model every word of the problem that is ours: only what somebody wrote is replaced by `…`. */
async function expectShown(customer: Customer, { refused }: Trial): Promise<void> {
  if (!readByModels.has(refused.code)) return;
  const names = await customer.written();
  const isOurs = isOursIn({ registry: app.registry, provider: app.services.provider });
  const problem = problemInToolWords(refused, app.registry.endpoints);
  const { detail } = problemAnswer(problem, isOurs);
  const hidden = hiddenIn(String(problem['detail']), detail);
  // The resource with the name may be gone; `localhost` is what the trial of source_unusable sent.
  const isWritten = (text: string) => names.includes(text) || /^(?:walk-\d+-\d+|localhost)$/.test(text);
  expect(hidden.filter((text) => !isWritten(text.replaceAll('"', '')))).toEqual([]);
}

async function follow(customer: Customer, trial: Trial): Promise<void> {
  const { refused, subject, leadsTo } = trial;
  await settle(app);
  const [before, connected] = [await customer.belongings(), await customer.connected()];
  const answer = await trial.follow();
  if (leadsTo !== undefined) expect(answer?.json().code).toBe(leadsTo);
  else if (answer !== undefined) expect(answer.statusCode, answer.body).toBeLessThan(300);
  await settle(app);
  const left = (await customer.belongings()).map(({ id }) => id);
  const named = `${JSON.stringify(refused)} ${subject ?? ''}`;
  const lost = before.filter(
    ({ id, vm_id }) =>
      !left.includes(id) && ![id, vm_id].some((each) => each !== null && named.includes(each)),
  );
  expect(lost, 'resources that nobody named').toEqual([]);
  const reachable = await customer.connected();
  expect(
    connected.filter((id) => left.includes(id) && !reachable.includes(id)),
    'cut off',
  ).toEqual([]);
}

describe('the next step of', () => {
  it.each(Object.entries(trials))(
    '%s resolves the problem and destroys nothing else',
    async (code, begin) => {
      const customer = await Customer.open(app);
      const trial = await begin(customer);
      expect(trial.refused.code).toBe(code);
      await expectOwnWords(customer, trial);
      await expectShown(customer, trial);
      await follow(customer, trial);
    },
  );

  it.each(Object.entries(guardedTrials))('%s is refused before it destroys anything', async (what, begin) => {
    const customer = await Customer.open(app);
    const trial = await begin(customer);
    expect(trial.refused.code).toBe(what.split(',')[0]);
    await expectOwnWords(customer, trial);
    await expectShown(customer, trial);
    await follow(customer, trial);
  });

  it('every problem of a call or of the portal is tested', () => {
    const answerable = new Set<string>([
      ...endpoints.flatMap(possibleProblems),
      'endpoint_not_found',
      'method_not_allowed',
      ...Object.keys(problems).filter((code) => problems[code as ProblemCode].portalOnly),
    ]);
    const untried = [...answerable].filter((code) => !Object.hasOwn(trials, code));
    expect(untried.sort()).toEqual(exemptFrom('nextStepsTried'));
  });
});
