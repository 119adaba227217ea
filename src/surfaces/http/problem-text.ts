/**
 * Writes problems: as the same JSON as `problemBody`, but with its fixed parts from a cache, so that a flood of refusals
 * stays cheap, or as lines for people.
 */
import { maskKeys } from '../../kernel/access/key-format.ts';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import type { Problem } from '../../kernel/problems/problem.ts';

interface Fixed {
  readonly docsUrl: string;
  readonly begin: string;
  /** The default detail; a problem may have a more specific one. */
  readonly detail: string;
  readonly end: string;
}

const fixed = new Map<ProblemCode, Fixed>();

const endOf = (code: ProblemCode, nextStep: string): string =>
  JSON.stringify({ next_step: nextStep, retryable: problems[code].retryable ?? false }).slice(1, -1);

/** The parts that are the same in every problem with this code. */
function fixedOf(code: ProblemCode, docsUrl: string): Fixed {
  const known = fixed.get(code);
  if (known !== undefined && known.docsUrl === docsUrl) return known;
  const { title, status, when, next_step } = problems[code];
  const first = JSON.stringify({ type: `${docsUrl}/errors/${code}`, title, status });
  const end = endOf(code, next_step);
  const made = { docsUrl, begin: first.slice(0, -1), detail: JSON.stringify(when), end };
  fixed.set(code, made);
  return made;
}

/** Returns the members with a leading comma, or an empty string. */
function writeMembers(extra: Readonly<Record<string, unknown>>): string {
  for (const _ in extra) {
    const text = JSON.stringify(extra);
    return text === '{}' ? '' : `,${text.slice(1, -1)}`;
  }
  return '';
}

interface Rendered {
  readonly problem: Problem;
  readonly docsUrl: string;
  readonly begin: string;
  readonly end: string;
  /** Whether the text is ASCII, so that its length in bytes equals its length in characters. */
  readonly isAscii: boolean;
}

const ASCII = /^[\x20-\x7e]*$/;

export interface ProblemText {
  readonly text: string;
  readonly isAscii: boolean;
}

/** Caches the last problem of each code. A flood consists of problems that are reused for every request. */
const rendered = new Map<ProblemCode, Rendered>();

function render(problem: Problem, docsUrl: string): Rendered {
  const { code, message, nextStep, extra, retryAfterSeconds, errors } = problem;
  const { begin, detail, end } = fixedOf(code, docsUrl);
  const said = message === problems[code].when ? detail : JSON.stringify(message);
  const advised = nextStep === problems[code].next_step ? end : endOf(code, nextStep);
  const retry = retryAfterSeconds === undefined ? '' : `,"retry_after_seconds":${retryAfterSeconds}`;
  const faults = errors.length === 0 ? '[]' : JSON.stringify(errors);
  const head = maskKeys(`${begin},"detail":${said},"instance":"/requests/`);
  const tail = maskKeys(`"${writeMembers(extra)},${advised}${retry},"errors":${faults}}`);
  const isAscii = ASCII.test(head) && ASCII.test(tail);
  const made = { problem, docsUrl, begin: head, end: tail, isAscii };
  rendered.set(code, made);
  return made;
}

/** API keys in the text are masked, whatever the problem quotes. */
export function problemText(problem: Problem, requestId: string, docsUrl: string): ProblemText {
  const { code } = problem;
  const last = rendered.get(code);
  const { begin, end, isAscii } =
    last?.problem === problem && last.docsUrl === docsUrl ? last : render(problem, docsUrl);
  return { text: `${begin}${requestId}","code":"${code}","request_id":"${requestId}${end}`, isAscii };
}

/** The same for people: what went wrong, what is wrong where, and what to do next, each in a line of its own. */
export function problemLines({ code, message, errors, nextStep }: Problem, requestId: string): string {
  const faults = errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const lines = [`${problems[code].title} (${code})`, message, ...faults, nextStep, `Request ${requestId}`];
  return `${maskKeys(lines.join('\n'))}\n`;
}
