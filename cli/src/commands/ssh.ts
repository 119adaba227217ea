/** `hostplane vm ssh <vm>`: runs the `ssh` of this computer with the address and the user of a machine. */
import type { BuiltInCommand } from '../built-in.ts';
import { globalFlags, isOn, last } from '../command.ts';
import type { Document } from '../document/document.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import { commandHelp } from '../help.ts';
import { urlOf } from '../http/pages.ts';
import { withIdleWait } from '../input/idle-wait.ts';
import { parse } from '../input/parse.ts';
import type { Io } from '../io.ts';
import { openSession, type Session } from '../session.ts';
import { anyResource, findThing, type Thing } from './things.ts';

interface Machine {
  readonly primary_ipv4?: string | null;
  readonly primary_ipv6?: string | null;
  readonly image?: { readonly id: string } | null;
}

/** The types of resources that have a public address. */
const reachable = ({ operations, schemas }: Document): string[] =>
  operations
    .filter(({ resource, answer }) => resource.role === 'read' && 'primary_ipv4' in schemas.members(answer))
    .map(({ resource }) => resource.name);

async function read<T>(
  { client }: Session,
  document: Document,
  { type, id }: Omit<Thing, 'name'>,
): Promise<T> {
  const call = document.operations.find(
    ({ resource }) => resource.name === type && resource.role === 'read' && resource.parent === undefined,
  );
  if (call === undefined) throw misuse(`This server has no call that reads a ${type}.`);
  const path = urlOf(call.path, { params: { [call.resource.parameter ?? 'id']: id }, query: {} });
  return (await client.call({ method: 'GET', path })).body as T;
}

/** The user for whom the image sets SSH keys. An image that was deleted cannot tell any more. */
async function userOf(session: Session, document: Document, { image }: Machine): Promise<string> {
  if (image == null) return 'root';
  try {
    const found = await read<{ default_user?: string }>(session, document, { type: 'image', id: image.id });
    return found.default_user ?? 'root';
  } catch (error) {
    if (error instanceof Failure && error.code === exitCodes.notFound) return 'root';
    throw error;
  }
}

async function run(io: Io, args: readonly string[]): Promise<ExitCode> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn('ssh', args, { stdio: 'inherit', env: { ...io.env } });
    child.once('error', () =>
      reject(new Failure(`The program ssh was not found. By hand: ssh ${args.join(' ')}`, exitCodes.failed)),
    );
    // The exit code of ssh is that of the command that ran on the machine.
    child.once('close', (code) => resolve((code ?? exitCodes.failed) as ExitCode));
  });
}

export const ssh: BuiltInCommand = {
  words: ['vm', 'ssh'],
  summary: 'Log in to a machine with ssh, or run a command there.',
  description:
    'Runs the ssh of this computer with the public address of the machine and the user of its image. What follows -- is passed to ssh as it is: hostplane vm ssh web -- uptime',
  args: [
    { name: 'vm', description: 'The machine, by its id or name.', reference: anyResource },
    { name: 'command', description: 'What to run there.', isOptional: true },
  ],
  flags: [{ name: 'user', kind: 'text', description: 'Log in as this user. Left out: that of the image.' }],
  async runLine(io, argv) {
    const end = argv.indexOf('--');
    const [own, passed] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
    const { args, given } = parse(own, [...globalFlags, ...withIdleWait(ssh.flags)]);
    if (isOn(given, 'help')) {
      await io.out(commandHelp(ssh));
      return exitCodes.done;
    }
    const [name, ...command] = args;
    if (name === undefined) throw misuse('Which machine? For example: hostplane vm ssh web');
    const session = openSession(io, given);
    try {
      const document = await session.documents.read();
      const thing = await findThing(session, document, name, reachable(document));
      const machine = await read<Machine>(session, document, thing);
      const address = machine.primary_ipv4 ?? machine.primary_ipv6;
      if (address == null)
        throw new Failure(
          `${name} has no public address. Its console works without one: hostplane console ${name}`,
          exitCodes.conflict,
        );
      const user = last(given, 'user') ?? (await userOf(session, document, machine));
      return await run(io, ['-l', user, address, ...command, ...passed]);
    } finally {
      session.client.close();
    }
  },
};
