import type { Command } from 'commander';
import { type OperationErrorCode, operationErrorCodes } from '../../kernel/operations/schema.ts';
import type { Cli } from './command.ts';
import { atLeastOne, choice, wholeNumber } from './options.ts';
import { Refusal } from './refusal.ts';
import type { FaultLine, SandboxObjects } from './sandbox-desk.ts';
import { facts, table } from './table.ts';

const row = ({ id, effect, call, target, location, skip, remaining, struck }: FaultLine) => ({
  id,
  effect: effect.kind,
  call: call ?? 'any',
  on: target ?? 'anything',
  location: location ?? 'all',
  skip,
  left: remaining ?? 'no end',
  struck,
});

const listed = (meanings: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(meanings).map((name) => name.length));
  return Object.entries(meanings)
    .map(([name, meaning]) => `\n  ${name.padEnd(width)}  ${meaning}`)
    .join('');
};

interface AddOptions {
  readonly call?: string;
  readonly on?: string;
  readonly location?: string;
  readonly skip?: number;
  readonly times?: number;
  readonly seconds?: number;
  readonly code?: OperationErrorCode;
  readonly detail?: string;
}

/**
 * Refuses a fault for a location without a sandbox engine: the fault would never occur, and tests would pass wrongly.
 */
function refuseElsewhere(served: readonly string[], location: string | undefined): void {
  if (location === undefined || served.includes(location)) return;
  throw new Refusal(
    `The sandbox serves no location ${location}. It serves: ${served.join(', ') || 'none'}`,
    2,
  );
}

function addFaults(sandbox: Command, cli: Cli): void {
  const { effects, calls } = cli.parts.sandbox;
  const faults = sandbox.command('faults').description('rules that make calls to the sandbox fail');

  faults
    .command('list')
    .description('the rules, in the order in which they are tried')
    .action(
      cli.atDesk(async ({ db }) => {
        const found = await cli.parts.sandbox.listFaults(db);
        return { json: found, text: table(found.map(row), 'There are no rules; calls succeed.') };
      }),
    );

  faults
    .command('add')
    .description('add a rule that makes calls fail; the first rule that matches a call applies')
    .addArgument(choice('<effect>', Object.keys(effects), 'what happens'))
    .addOption(choice('--call <call>', calls, 'only this call'))
    .option('--on <id>', 'only calls for this machine, network or image, or for this account')
    .option('--location <location>', 'only in this location')
    .option('--skip <count>', 'let this many matching calls succeed first', wholeNumber)
    .option('--times <count>', 'for this many calls (default: all, until the rule is cleared)', atLeastOne)
    .option('--seconds <count>', 'the delay of slow and late (default: 5)', wholeNumber)
    .addOption(choice('--code <code>', operationErrorCodes, 'for fail (engine_failed)').hideHelp())
    .option('--detail <text>', 'for fail: the error message')
    .addHelpText(
      'after',
      `\nEffects:${listed(effects)}\n\nExample:\n  hostplane admin sandbox faults add fail --call ensureRunning --times 1`,
    )
    .action(
      cli.atDesk<AddOptions>(async ({ db, config }, { on: target, ...options }, [effect = '']) => {
        const { call, location, skip, times, seconds, code, detail } = options;
        refuseElsewhere(cli.parts.sandbox.locations(config), location);
        const order = { effect, target, call, location, skip, times, seconds, code, detail };
        const fault = await cli.parts.sandbox.addFault(db, order);
        return { json: fault, text: facts(row(fault)) };
      }),
    );

  faults
    .command('clear')
    .description('delete the rules, so that calls succeed again')
    .argument('[id]', 'only this rule')
    .action(
      cli.atDesk(async ({ db }, _, [id]) => {
        const cleared = await cli.parts.sandbox.clearFaults(
          db,
          id === undefined ? undefined : wholeNumber(id),
        );
        if (id !== undefined && cleared === 0)
          throw new Refusal(`There is no rule ${id}. See: hostplane admin sandbox faults list`);
        return { json: { cleared }, text: `${cleared} cleared.\n` };
      }),
    );
}

export function addSandbox(program: Command, cli: Cli): void {
  const sandbox = program
    .command('sandbox')
    .description('the simulated engine: its machines, and faults for your tests');
  addFaults(sandbox, cli);
  for (const objects of cli.parts.sandbox.objects) addList(sandbox, cli, objects);
  addMishaps(sandbox, cli);
}

function addList(sandbox: Command, cli: Cli, { command, list }: SandboxObjects): void {
  sandbox
    .command(command)
    .description(`the ${command} that exist in the sandbox, whatever the accounts show`)
    .action(
      cli.atDesk(async ({ db }) => {
        const found = await list(db);
        const rows = found.map((line) => ({ ...line }));
        return { json: found, text: table(rows, 'The sandbox is empty.') };
      }),
    );
}

function addMishaps(sandbox: Command, cli: Cli): void {
  const { objects } = cli.parts.sandbox;
  const nouns = objects.map(({ noun }) => noun);
  const mishaps = Object.fromEntries(objects.flatMap((each) => Object.entries(each.mishaps)));
  sandbox
    .command('befall')
    .description(`simulate a mishap of a ${nouns.join(' or ')}`)
    .argument(`<${nouns.join('|')}>`, 'its id')
    .addArgument(choice('<mishap>', Object.keys(mishaps), 'what happens'))
    .addHelpText('after', `\nMishaps:${listed(mishaps)}`)
    .action(
      cli.atDesk(async (desk, _, [id = '', mishap = '']) => {
        await desk.confirm(`This happens to ${id}: ${mishaps[mishap] ?? mishap}.`);
        const possible = objects.filter((each) => Object.hasOwn(each.mishaps, mishap));
        for (const { befall } of possible)
          if (await befall(desk.db, id, mishap)) return { json: { id, mishap }, text: `Done.\n` };
        const commands = possible.map(({ command }) => `hostplane admin sandbox ${command}`).join(', ');
        throw new Refusal(`The sandbox has no running ${nouns.join(' or ')} ${id}. See: ${commands}`);
      }),
    );
}
