/** Formats the error of a failed command: what is wrong, where, and what to do next. */
import { maskKeys } from '../../kernel/access/key-format.ts';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { EmbeddedFault } from '../../store/embedded/embedded.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import { clean } from './table.ts';

/** 1: refused or failed. 2: usage error. */
export type FailureCode = 1 | 2;

/** An error of the command line itself; its message says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: FailureCode;

  constructor(message: string, code: FailureCode = 1) {
    super(message);
    this.code = code;
  }
}

interface Explanation {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly next_step: string | null;
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The steps of the catalogue speak to a caller of the API. These speak to the operator, where the two differ. */
const operatorSteps: Partial<Record<ProblemCode, string>> = {
  validation_failed:
    'Correct what is listed, then run the command again. The option --help explains each option.',
  not_found: 'Check the id or the name; the command list of the same group shows them.',
  name_taken: 'Choose another name.',
  quota_exceeded:
    'Delete what is no longer needed, or raise the limit with: hostplane admin accounts set-limit',
  secret_in_text:
    'Remove the secret from the text; if it is a real key, replace it with: hostplane admin keys roll',
  operation_in_progress: 'Wait until the operation has ended, then run the command again.',
};

/** The option that a field of the input was given with, or else the name of the field. */
function optionOf(pointer: string, flags: readonly string[]): string {
  const name = pointer.split('/')[1] ?? '';
  const flagOf = (word: string): string => `--${word.replaceAll('_', '-')}`;
  const candidates = [name, name.replace(/_ids?$|s$/, '')].map(flagOf);
  return candidates.find((flag) => flags.includes(flag)) ?? (pointer.slice(1) || 'input');
}

function explain(error: unknown): Explanation {
  const nothing = { next_step: null, errors: [], extra: {} };
  if (error instanceof Problem) {
    const { title } = problems[error.code];
    const { code, nextStep, errors, extra } = error;
    const next_step = operatorSteps[code] ?? nextStep;
    if (code !== 'validation_failed') return { code, title, detail: error.message, next_step, errors, extra };
    const detail = errors.length === 1 ? 'One value is not valid.' : `${errors.length} values are not valid.`;
    return { code, title: 'Not done', detail, next_step, errors, extra };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { ...nothing, code: 'refused', title: 'Not done', detail };
  if (error instanceof EmbeddedFault) {
    return { ...nothing, code: 'database_unavailable', title: 'No database', detail };
  }
  if (isUnavailable(error)) {
    const next_step =
      'Check that the database runs and that its URL is right. For details, run: hostplane admin doctor';
    return {
      ...nothing,
      code: 'database_unavailable',
      title: 'The database does not answer',
      detail,
      next_step,
    };
  }
  const next_step = 'This should not happen. Please report it, with the command that you ran.';
  return { ...nothing, code: 'internal_error', title: 'Failed', detail, next_step };
}

/** `flags` are the options of the command that failed. */
export function formatFailure(error: unknown, asJson: boolean, flags: readonly string[] = []): string {
  const { code, title, detail, next_step, errors, extra } = explain(error);
  if (asJson) {
    const body = { error: { code, title, detail, ...extra, errors, next_step } };
    return maskKeys(`${JSON.stringify(body, null, 2)}\n`);
  }
  const lines = [
    `${title}: ${detail}`,
    ...errors.map((field) => `  ${optionOf(field.pointer, flags)}: ${field.detail}`),
    ...(next_step === null ? [] : [next_step]),
  ];
  return maskKeys(lines.map((line) => `${clean(line)}\n`).join(''));
}

export const failureCode = (error: unknown): FailureCode => (error instanceof Refusal ? error.code : 1);
