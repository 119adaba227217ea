import type { ReactNode } from 'react';
import { Problem, UNREADABLE } from '../data/http.ts';
import { Button } from './button.tsx';

const tones = {
  info: 'bg-accent-soft text-accent-ink',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const;

export function Notice({ tone = 'info', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`rounded-md px-3.5 py-2.5 text-sm ${tones[tone]}`}
    >
      {children}
    </div>
  );
}

/** Whether the same request may succeed later: the server was away or busy, rather than refusing this request. */
const isPassing = (problem: Problem | null): boolean =>
  problem === null ||
  problem.status === 0 ||
  problem.status === 429 ||
  problem.status >= 500 ||
  problem.code === UNREADABLE;

/** "/expires_in" is said as "Expires in". */
const nameOf = (pointer: string): string => {
  const name = (pointer.split('/').find((part) => part !== '' && part !== 'query') ?? '').replaceAll(
    '_',
    ' ',
  );
  return name === '' ? '' : `${name.charAt(0).toUpperCase()}${name.slice(1)}: `;
};

/** The commands of the provider's staff, which stand in brackets. */
const COMMAND = / \([^()]*hostplane admin[^()]*\)/g;

/** What is not there is looked for in another place than a program would. */
const isMissing = ({ code }: Problem): boolean => code === 'not_found' || code === 'endpoint_not_found';

/** Without the parts that are for programs, which name a member of the refusal such as `existing_id`. */
function adviceOf({ nextStep, body }: Problem): string {
  const members = Object.keys(body).filter((name) => name.includes('_') || name === 'corrected');
  const isForPeople = (part: string): boolean =>
    !members.some((name) => new RegExp(`\\b${name}\\b`).test(part));
  const parts = nextStep.replaceAll(COMMAND, '').split(', or ');
  const advice = parts.filter(isForPeople).join(', or ');
  const sentence = advice.charAt(0).toUpperCase() + advice.slice(1);
  return sentence === '' || sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** The list of which the address shows one thing: its last part is an id. */
function listAround(): string | undefined {
  const [, list] = /^(\/portal\/.+)\/[a-z]+_[^/]+\/?$/.exec(location.pathname) ?? [];
  return list;
}

/** For somebody who looks for a thing in a browser. */
function Elsewhere() {
  const list = listAround();
  return (
    <p className="mt-1">
      {list !== undefined && (
        <>
          <a className="underline" href={list}>
            See what there is
          </a>{' '}
          or{' '}
        </>
      )}
      <a className="underline" href="/portal">
        go to the first page
      </a>
      .
    </p>
  );
}

/** The server's own words about fields are for programs: they name members of the body. */
function explain(problem: Problem): readonly string[] {
  const faults = problem.body.errors ?? [];
  if (problem.code !== 'validation_failed' || faults.length === 0)
    return [problem.detail, isMissing(problem) ? '' : adviceOf(problem)];
  return faults.map(
    ({ pointer, detail, message }) => `${nameOf(pointer)}${detail ?? message ?? 'not valid'}`,
  );
}

const titleOf = ({ code, message }: Problem): string =>
  code === 'validation_failed' ? 'This is not valid yet' : message;

/** A refusal: its title, what happened, what to do next, and the id by which the provider finds the request. */
export function ProblemNotice({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const problem = error instanceof Problem ? error : null;
  return (
    <Notice tone="bad">
      <p className="font-medium">{problem === null ? 'Something went wrong' : titleOf(problem)}</p>
      {(problem === null ? ['Reload the page and try again.'] : explain(problem)).map(
        (text) => text !== '' && <p key={text}>{text}</p>,
      )}
      {problem !== null && isMissing(problem) && <Elsewhere />}
      {problem?.body.request_id && <p className="mt-1 font-mono text-xs">{problem.body.request_id}</p>}
      {retry && isPassing(problem) && (
        <Button small className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
