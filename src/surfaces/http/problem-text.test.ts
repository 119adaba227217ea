import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import { problemText } from './problem-text.ts';

const codes = Object.keys(problems) as ProblemCode[];
const text = fc.string({ unit: 'binary' });

const details = fc.record(
  {
    detail: text,
    extra: fc.dictionary(
      fc.constantFrom('family', 'denied_by', 'client_ip'),
      fc.oneof(text, fc.array(text), fc.constant(undefined)),
    ),
    retryAfterSeconds: fc.integer({ min: 1, max: 60 }),
    errors: fc.array(fc.record({ pointer: text, code: fc.constant('too_long' as const), detail: text })),
  },
  { requiredKeys: [] },
);

describe('problemText', () => {
  it('equals JSON.stringify of the body', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), details, text, fc.webUrl(), (code, given, id, url) => {
        const requestId = `req_${id.replaceAll(/[^a-z0-9]/g, '')}`;
        const problem = new Problem(code, given);
        const { text, isAscii } = problemText(problem, requestId, url);
        if (isAscii) expect(Buffer.byteLength(text)).toBe(text.length);
        expect(text).toBe(JSON.stringify(problemBody(problem, requestId, url)));
      }),
    );
  });
});
