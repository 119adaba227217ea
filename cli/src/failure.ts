/** What a command prints on stderr when it cannot go on, and the exit code that it ends with. */
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { longCell } from './output/cells.ts';
import { printable } from './output/printable.ts';

export class Failure extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode) {
    super(message);
    this.code = code;
  }
}

/** The command was called in a wrong way. The message says how it is called. */
export const misuse = (message: string): Failure => new Failure(message, exitCodes.usage);

/** An answer of the server that refuses a call (application/problem+json). */
export interface Problem {
  readonly title?: string;
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly next_step?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly approve_url?: string;
  readonly operation_id?: string;
  readonly errors?: readonly Fault[];
  /** Flags that would mend the faults. Only this program sets it. */
  readonly example?: string;
}

/** A fault in a request. */
export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  /** The flag that it is about, where the pointer alone does not name one. */
  readonly place?: string;
}

/** Says where in the call an error is: `/disk_gb` and `query/limit` become the flags that set them. */
export function placeOf(pointer: string): string {
  const [kind = '', ...rest] = pointer.split('/');
  if (kind === 'path') return `<${rest.join('.')}>`;
  const names = kind === '' || kind === 'query' || kind === 'header' ? rest : [kind, ...rest];
  const name = names.filter((part) => !/^\d+$/.test(part)).join('.');
  return name === '' ? 'the body' : `--${name.replaceAll('_', '-').toLowerCase()}`;
}

/** The members of the problem that its sentences speak of, such as `allowed_states`. */
function membersNamed(problem: Problem): string[] {
  const text = `${problem.detail ?? ''} ${problem.next_step ?? ''}`;
  const shown = new Set(['operation_id', 'approve_url', 'errors']);
  return Object.entries(problem)
    .filter(([name]) => /_/.test(name) && !['next_step', 'request_id'].includes(name))
    .filter(
      ([name]) =>
        new RegExp(`\\b${name.replaceAll('_', '[_ ]')}\\b`).test(text) &&
        (name === 'operation_id' || !shown.has(name)),
    )
    .map(([name, value]) => `  ${name.replaceAll('_', ' ')}: ${longCell(value)}`);
}

export function formatProblem(problem: Problem): string {
  const { title = 'Refused', code = String(problem.status), detail, next_step, errors = [] } = problem;
  const lines = [`${title} (${code})${detail === undefined ? '' : `: ${detail}`}`];
  for (const error of errors) lines.push(`  ${error.place ?? placeOf(error.pointer)}: ${error.detail}`);
  lines.push(...membersNamed(problem));
  if (problem.example !== undefined) lines.push(`For example: ${problem.example}`);
  if (next_step !== undefined) lines.push(`Next step: ${next_step}`);
  if (problem.approve_url !== undefined) {
    lines.push(`Approve here: ${problem.approve_url}`);
    lines.push(`Then repeat the command with: --approval-id ${problem.operation_id}`);
  }
  if (problem.request_id !== undefined) lines.push(`Request id: ${problem.request_id}`);
  return lines.map(printable).join('\n');
}
