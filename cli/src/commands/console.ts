/** `hostplane console <machine>`: the serial console of a machine in this terminal. */
import { CONSOLE_PROTOCOL, TOKEN_PREFIX } from '../../../src/kernel/console-protocol.ts';
import type { BuiltInCommand } from '../built-in.ts';
import type { Document, Operation } from '../document/document.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import type { Io } from '../io.ts';
import { openSession, type Session } from '../session.ts';
import { anyResource, findThing } from './things.ts';

/** Ctrl-], as in telnet and virsh. */
const LEAVE = 0x1d;

interface ConsoleSession {
  readonly url: string;
  readonly token: string;
}

/** The calls that open consoles, by the type of resource. */
const openers = ({ operations }: Document): Operation[] =>
  operations.filter(({ id }) => /^create\w*ConsoleSession$/.test(id));

async function dial({ client }: Session, { url, token }: ConsoleSession) {
  const { WebSocket } = await import('ws');
  // The server may know itself under another address than the one that leads to it from here.
  const address = `${client.url.replace(/^http/, 'ws')}${new URL(url).pathname}`;
  const agent = await client.connection.agent();
  return new WebSocket(address, [CONSOLE_PROTOCOL, `${TOKEN_PREFIX}${token}`], { agent });
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Connects the terminal until one side ends. Everything that is typed goes to the machine, Ctrl-C included. */
async function attach(io: Io, socket: Awaited<ReturnType<typeof dial>>, { input, output }: Terminal) {
  const { spawnSync } = await import('node:child_process');
  // Node's raw mode still turns each line feed into a new line, which spoils programs that fill the screen.
  const passLineFeeds = (): void =>
    void spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
  return new Promise<ExitCode>((resolve, reject) => {
    const restore = (): void => {
      input.off('data', send);
      if (input.isTTY) input.setRawMode(false);
      input.pause();
    };
    const send = (typed: Buffer): void => {
      const at = typed.indexOf(LEAVE);
      const said = at < 0 ? typed : typed.subarray(0, at);
      if (said.length > 0 && socket.readyState === socket.OPEN) socket.send(said);
      if (at >= 0) socket.close(1000);
    };
    socket.once('unexpected-response', (_, answer) => {
      restore();
      reject(new Failure(`The console was refused (${answer.statusCode}). Try again.`, exitCodes.conflict));
    });
    socket.once('error', (error) => {
      restore();
      reject(new Failure(`The console broke: ${error.message}`, exitCodes.noConnection));
    });
    socket.once('open', () => {
      io.err(`Connected. Ctrl-] leaves the console.${sizeHint(output)}\n`);
      if (input.isTTY) {
        input.setRawMode(true);
        passLineFeeds();
      }
      input.on('data', send).resume();
      input.once('end', () => socket.close(1000));
    });
    socket.on('message', (data: Buffer) => output.write(data));
    socket.once('close', (code: number, reason: Buffer) => {
      restore();
      const why = reason.toString('utf8');
      io.err(`\nThe console is closed.${why === '' ? '' : ` ${why}`}\n`);
      resolve(code === 1000 ? exitCodes.done : exitCodes.failed);
    });
  });
}

/** A serial line does not carry the size of the window, so the guest has to be told. */
const sizeHint = ({ rows, columns }: NodeJS.WriteStream): string =>
  !(rows > 0) ? '' : ` For programs that fill the screen, type there: stty rows ${rows} cols ${columns}`;

export const console: BuiltInCommand = {
  words: ['console'],
  summary: 'Open the serial console of a machine in this terminal.',
  description:
    'Everything you type goes to the machine. Ctrl-] leaves. A serial line does not know the size of your window: after a change of the size, run stty rows R cols C inside.',
  args: [{ name: 'machine', description: 'The id or name of the machine.', reference: anyResource }],
  flags: [],
  async run({ io, args: [machine = ''], given }) {
    const session = openSession(io, given);
    try {
      const document = await session.documents.read();
      const all = openers(document);
      const types = all.map(({ resource }) => resource.parent?.name ?? resource.name);
      const thing = await findThing(session, document, machine, types);
      const operation = all[types.indexOf(thing.type)];
      const [parameter] = operation?.parameters.filter((each) => each.in === 'path') ?? [];
      if (operation === undefined || parameter === undefined) throw misuse(`${machine} has no console.`);
      const { body } = await session.client.call({
        method: operation.method,
        path: urlOf(operation.path, { params: { [parameter.name]: thing.id }, query: {} }),
        headers: { 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify({ type: 'serial' }),
        signal: io.interrupted,
      });
      const socket = await dial(session, body as ConsoleSession);
      return await attach(io, socket, { input: process.stdin, output: process.stdout });
    } finally {
      session.client.close();
    }
  },
};
