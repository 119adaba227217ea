/** The JSON of `problemBody`, faster: a flood of refusals should not make us write the same sentences over and over. */
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import type { Problem } from '../../kernel/problems/problem.ts';

interface Fixed {
  readonly docsUrl: string;
  readonly begin: string;
  readonly end: string;
}

const fixed = new Map<ProblemCode, Fixed>();

/** What is the same in every answer with this code. */
function fixedOf(code: ProblemCode, docsUrl: string): Fixed {
  const known = fixed.get(code);
  if (known !== undefined && known.docsUrl === docsUrl) return known;
  const { title, status, next_step, retryable = false } = problems[code];
  const first = JSON.stringify({ type: `${docsUrl}/errors/${code}`, title, status });
  const last = JSON.stringify({ next_step, retryable });
  const made = { docsUrl, begin: first.slice(0, -1), end: last.slice(1, -1) };
  fixed.set(code, made);
  return made;
}

export function problemText(problem: Problem, requestId: string, docsUrl: string): string {
  const { code, message, extra, retryAfterSeconds: retry, errors } = problem;
  const { begin, end } = fixedOf(code, docsUrl);
  const members = JSON.stringify(extra).slice(1, -1);
  return (
    `${begin},"detail":${JSON.stringify(message)},"instance":"/requests/${requestId}","code":"${code}",` +
    `"request_id":"${requestId}"${members === '' ? '' : `,${members}`},${end}` +
    `${retry === undefined ? '' : `,"retry_after_seconds":${retry}`},"errors":${errors.length === 0 ? '[]' : JSON.stringify(errors)}}`
  );
}
