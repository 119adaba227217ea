/** What the address of the page says: it comes from a command line, or from anybody who makes a link. */
import { unturned } from '../../ui/unturned.ts';

export interface Question {
  /** Only the command line that made it can use the code. */
  readonly challenge: string;
  /** What the computer calls itself. */
  readonly computer: string;
  /** Where the command line waits on this computer; null if the code is pasted. */
  readonly back: { readonly port: number; readonly state: string } | null;
}

interface Search {
  readonly challenge?: string | undefined;
  readonly computer?: string | undefined;
  readonly port?: string | undefined;
  readonly state?: string | undefined;
}

const LONGEST_NAME = 64;
const LOWEST_PORT = 1024;
const HIGHEST_PORT = 65_535;

function backOf({ port = '', state = '' }: Search): Question['back'] {
  const number = /^\d{4,5}$/.test(port) ? Number(port) : 0;
  if (number < LOWEST_PORT || number > HIGHEST_PORT || !/^[\w-]{16,64}$/.test(state)) return null;
  return { port: number, state };
}

/** Null if no command line can have made the address. */
export function readQuestion(search: Search): Question | null {
  const { challenge = '', computer = '' } = search;
  if (!/^[\w-]{43}$/.test(challenge)) return null;
  // Control characters are left out, and those that turn the direction of text are shown by their code.
  const name = unturned(computer.replaceAll(/\p{Cc}|[\u2028\u2029]/gu, ''))
    .slice(0, LONGEST_NAME)
    .trim();
  return { challenge, computer: name === '' ? 'unnamed' : name, back: backOf(search) };
}

/** Always this computer: no link can make the portal send a code elsewhere. */
export const addressBack = ({ port, state }: NonNullable<Question['back']>, answer: object): string =>
  `http://127.0.0.1:${port}/?${new URLSearchParams({ ...answer, state })}`;

/** A name that no living key has: `cli-laptop`, `cli-laptop-2`. */
export function freeName(computer: string, taken: ReadonlySet<string>): string {
  const words = computer.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  const base = `cli-${words || 'login'}`.slice(0, 56);
  let name = base;
  for (let n = 2; taken.has(name); n += 1) name = `${base}-${n}`;
  return name;
}
