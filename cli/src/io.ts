/** The surroundings of a command: output, questions, environment and folders. Tests give their own. */
import { misuse } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Io {
  /** Resolves when stdout can take more, so that a long list waits for a slow reader. */
  out(text: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Whether stdout and stderr are terminals. */
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** Whether a person can answer questions. */
  readonly canAsk: boolean;
  /** Without an answer, and when the signal is aborted, the answer is empty. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /** Asks without showing what is typed. */
  askSecret(question: string): Promise<string>;
  readInput(): Promise<string>;
  /** The lines of stdin as they come. */
  readLines(): AsyncIterable<string>;
  readonly env: Environment;
  /** Aborted when the person presses Ctrl-C; the program ends by itself after that. */
  readonly interrupted: AbortSignal;
}

/** The same surroundings without messages. It copies nothing, because reading some members opens streams. */
export const silent = (io: Io): Io => Object.create(io, { err: { value: () => undefined } }) as Io;

async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  // Questions are written to stderr, because a script may read stdout.
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  lines.once('close', () => gone.abort());
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const over = AbortSignal.any([gone.signal, ...(signal === undefined ? [] : [signal])]);
    return (await lines.question(question, { signal: over })).trim();
  } catch {
    return '';
  } finally {
    lines.close();
  }
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACE = ['\u007f', '\b'];

/** Reads a line in raw mode: the terminal then shows nothing of it. */
function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  let text = '';
  return new Promise((resolve) => {
    const finish = (): void => {
      stdin.off('data', read).setRawMode(false).pause();
      stderr.write('\n');
      resolve(text.trim());
    };
    const read = (typed: string): void => {
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === CTRL_D) {
          finish();
          return;
        }
        if (character === CTRL_C) {
          stdin.setRawMode(false);
          stderr.write('\n');
          process.exit(130);
        }
        text = BACKSPACE.includes(character) ? text.slice(0, -1) : text + character;
      }
    };
    stdin.on('data', read);
  });
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

async function* readLines(): AsyncGenerator<string> {
  const { createInterface } = await import('node:readline');
  yield* createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
}

/** The surroundings of the real program. */
export function processIo(interrupted: AbortSignal): Io {
  const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;
  const whereAsked = (answer: Io['ask']): Io['ask'] => {
    return (question, signal) => {
      if (!canAsk()) throw misuse('There is no terminal on which to ask.');
      return answer(question, signal);
    };
  };
  return {
    out: (text) =>
      new Promise((resolve) => {
        if (process.stdout.write(text)) resolve();
        else process.stdout.once('drain', resolve);
      }),
    err: (text) => void process.stderr.write(text),
    // Read only when they are needed, because each of them opens its stream.
    get outIsTerminal() {
      return process.stdout.isTTY === true;
    },
    get errIsTerminal() {
      return process.stderr.isTTY === true;
    },
    get canAsk() {
      return canAsk();
    },
    ask: whereAsked(ask),
    askSecret: whereAsked(askSecret),
    readInput,
    readLines,
    env: process.env,
    interrupted,
  };
}
