/** A model is never told to send something that its tools cannot send: a header, or a method with a path. */
import { describe, expect, it } from 'vitest';
import { problems } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { inToolWords } from '../surfaces/mcp/tool-words.ts';
import { REFUSED_BEFORE_TOOLS } from './refused-before-tools.ts';
import { shipped } from './sources.ts';
import { endpoints } from './walk.ts';

const HTTP = /\bheader|\bHTTP\b|\b(GET|POST|PUT|PATCH|DELETE)\b|\b[A-Z][a-z]+-[A-Z][a-z]+\b|\bX-[A-Z]|\?\w+=/;

it('the next step of each problem of an operation names tools', () => {
  const codes = new Set(endpoints.flatMap(possibleProblems));
  const wrong = [...codes]
    .filter((code) => !REFUSED_BEFORE_TOOLS.includes(code))
    .map((code) => `${code}: ${inToolWords(problems[code].next_step, endpoints)}`);
  expect(wrong.filter((step) => HTTP.test(step))).toEqual([]);
  expect(wrong.length).toBeGreaterThan(40);
});

it('what each problem of an operation says happened is said in words of the tools', () => {
  const codes = new Set(endpoints.flatMap(possibleProblems));
  const said = [...codes]
    .filter((code) => !REFUSED_BEFORE_TOOLS.includes(code))
    .map((code) => `${code}: ${inToolWords(problems[code].when, endpoints)}`);
  expect(said.filter((when) => HTTP.test(when))).toEqual([]);
});

/** What the texts of refusals have in place of a value. */
const VALUE = /\$\{[^}]*\}/g;
const STEP = /\bnextStep:\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g;
const FOLDERS = /^src\/(families|resources|money|pipeline|kernel|engines|provider)\//;

const ownSteps = shipped
  .filter(({ path }) => FOLDERS.test(path))
  .flatMap(({ path, text }) =>
    [...text.matchAll(STEP)].map(([, plain, filled]) => ({ path, said: plain ?? filled ?? '' })),
  );

it('each next step that a refusal sets itself names tools', () => {
  const steps = ownSteps.map(({ path, said }) => ({
    path,
    step: inToolWords(said.replaceAll(VALUE, 'x'), endpoints),
  }));
  expect(steps.filter(({ step }) => HTTP.test(step))).toEqual([]);
  expect(steps.length).toBeGreaterThan(10);
});

/** Values that a customer may have written. */
const CUSTOMERS = /name|label|note|description|mail|quoted|message|body|params|query/i;

it('no next step quotes customer text, because a model follows next steps', () => {
  const quotes = ownSteps.flatMap(({ path, said }) =>
    [...said.matchAll(VALUE)].filter(([value]) => CUSTOMERS.test(value)).map(([value]) => `${path} ${value}`),
  );
  expect(quotes).toEqual([]);
});

describe('the name of a call in a sentence becomes the tool call', () => {
  it.each([
    ['GET /flexible-vps/v1/vms lists the valid values.', 'call_read listVms lists the valid values.'],
    [
      'Check the ids; GET /flexible-vps/v1/vms and GET /flexible-vps/v1/vms/{id}/snapshots list them.',
      'Check the ids; call_read listVms and call_read listVmSnapshots list them.',
    ],
    [
      'Use one of GET /flexible-vps/v1/plans?location=fra1.',
      'Use one of call_read listVpsPlans with query {"location":"fra1"}.',
    ],
    [
      'This call cannot change plan; POST /flexible-vps/v1/vms/vm_1/resize (resizeVm) does.',
      'This call cannot change plan; call_write resizeVm with path {"id":"vm_1"} does.',
    ],
    ['GET /nowhere has nothing.', 'GET /nowhere has nothing.'],
  ])('%s', (said, expected) => {
    expect(inToolWords(said, endpoints)).toBe(expected);
  });
});
