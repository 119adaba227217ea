/**
 * The operator's command line. It changes accounts through the functions of the portal API, under the name of the
 * user who runs it, so that the same rules and the same audit log apply.
 */
import { Command, CommanderError } from 'commander';
import { nearest } from '../../kernel/did-you-mean.ts';
import { addAccounts } from './accounts.ts';
import { addAddresses } from './addresses.ts';
import { addAllowlist } from './allowlist.ts';
import { addApprovals } from './approvals.ts';
import { addBudgets } from './budgets.ts';
import { Cli, type CliParts } from './command.ts';
import { addDoctor } from './doctor/doctor.ts';
import { afterHelp } from './help.ts';
import { type CliIo, terminal } from './io.ts';
import { addKeys } from './keys.ts';
import { addLinks } from './links.ts';
import { addMail } from './mail.ts';
import { addMembers } from './members.ts';
import { addOperations } from './operations.ts';
import { addPeople } from './people.ts';
import { failureCode, formatFailure, Refusal } from './refusal.ts';
import { addSandbox } from './sandbox.ts';
import { addSecrets } from './secrets.ts';
import { addTickets } from './tickets.ts';
import { addAudit, addConfig, addMigrate, addRecount, addServe, addSpec } from './upkeep.ts';

export type { CliIo, CliParts };

function buildProgram(cli: Cli): Command {
  const program = new Command('hostplane admin')
    .description('Hostplane: the API server of a hosting provider.')
    .usage('[command] [options]')
    .version(cli.parts.version, '-V, --version', 'print the version')
    .argument('[command]')
    .option(
      '-c, --config <file>',
      'the configuration (HOSTPLANE_CONFIG, else ./hostplane.yaml, else built in)',
    )
    .option('--account <account>', 'id or exact name (not needed if there is only one)')
    .option('--json', 'output for scripts')
    .option('-y, --yes', 'answer every question with yes')
    .helpOption('-h, --help', 'show help, also for a command')
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      visibleArguments: (command) => (command.parent ? [...command.registeredArguments] : []),
    })
    .addHelpText('after', afterHelp)
    .exitOverride()
    .configureOutput({ writeOut: cli.io.out, writeErr: cli.io.error })
    .showHelpAfterError('(add --help to see what is possible)');
  program.commandsGroup('Run:');
  const serve = addServe(program, cli);
  addMigrate(program, cli);
  addRecount(program, cli);
  addDoctor(program, cli);
  addConfig(program, cli);
  addSpec(program, cli);
  program.commandsGroup('Accounts:');
  addAccounts(program, cli);
  addMembers(program, cli);
  addPeople(program, cli);
  addKeys(program, cli);
  addApprovals(program, cli);
  addLinks(program, cli);
  addAllowlist(program, cli);
  addBudgets(program, cli);
  addAudit(program, cli);
  addSecrets(program, cli);
  addOperations(program, cli);
  addAddresses(program, cli);
  addMail(program, cli);
  addTickets(program, cli);
  program.commandsGroup('Try:');
  addSandbox(program, cli);
  // Set last, because subcommands copy this setting when they are added. With it, an unknown command is reported as
  // such, not as excess arguments.
  program.allowExcessArguments().action(async (...given: unknown[]) => {
    const [named] = program.args;
    if (named !== undefined) throw unknownCommand(program, named);
    await serve(...given);
  });
  return program;
}

function unknownCommand(program: Command, named: string): Refusal {
  const near = nearest(
    named,
    program.commands.map((command) => command.name()),
  );
  const hint = near === null ? 'See: hostplane admin --help' : `Did you mean ${near}?`;
  return new Refusal(`There is no command "${named}". ${hint}`, 2);
}

/**
 * Help and messages call the program `hostplane admin`. In a checkout, another program takes that word away; somebody who
 * runs the built file itself types it, too.
 */
const withoutAdmin = ([first, ...rest]: readonly string[]): string[] =>
  first === undefined ? [] : first === 'admin' ? rest : [first, ...rest];

/** Returns the exit code: 0 done, 1 refused or failed, 2 usage error. `serve` returns when the server has stopped. */
export async function runCli(
  argv: readonly string[],
  parts: CliParts,
  io: CliIo = terminal(),
): Promise<number> {
  const cli = new Cli(io, parts);
  try {
    await buildProgram(cli).parseAsync(withoutAdmin(argv), { from: 'user' });
    return cli.code;
  } catch (error) {
    // Commander has already printed its error message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.error(formatFailure(error, argv.includes('--json'), cli.flags));
    return failureCode(error);
  }
}
