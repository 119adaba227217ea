/**
 * The operator's commands had these names before they moved under `hostplane admin`. The list is complete: later commands
 * never had another name.
 */
export const movedNames: ReadonlySet<string> = new Set([
  'serve',
  'worker',
  'migrate',
  'doctor',
  'config',
  'spec',
  'accounts',
  'members',
  'people',
  'keys',
  'approvals',
  'allowlist',
  'budgets',
  'audit',
  'secrets',
  'operations',
  'mail',
  'sandbox',
]);

/** What to say if the words are those of a command that is elsewhere; undefined if not. */
export function movedCommand(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  if (first === 'admin') return 'hostplane admin is part of the server: run it where Hostplane is installed.';
  if (!movedNames.has(first)) return undefined;
  const hint = first === 'keys' ? ' Customers create keys in the portal: hostplane open keys' : '';
  return `The operator's command is now: hostplane admin ${words.join(' ')}.${hint}`;
}
