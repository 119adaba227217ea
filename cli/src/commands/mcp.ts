/** `hostplane mcp`: connects an AI assistant that starts its servers itself. */
import { setups, setupText } from '../../../src/surfaces/mcp/setup.ts';
import type { BuiltInCommand } from '../built-in.ts';
import { type Given, isOn, last } from '../command.ts';
import { addressOf } from '../contexts/contexts.ts';
import { exitCodes } from '../exit-codes.ts';
import { noKey } from '../http/client.ts';
import type { Io } from '../io.ts';
import { Bridge } from '../mcp/bridge.ts';
import { openSession, printerFor } from '../session.ts';

/** With an address on the command line, only the environment can name the key: that of a context is for another server. */
function surroundings(io: Io, given: Given): Io {
  const url = last(given, 'url');
  if (url === undefined) return io;
  return Object.create(io, { env: { value: { ...io.env, HOSTPLANE_URL: addressOf(url) } } }) as Io;
}

const EXAMPLE = 'https://api.example.com';

/** Settings can be shown before somebody has logged in. */
function addressFor(io: Io, given: Given): string {
  const url = last(given, 'url') ?? io.env['HOSTPLANE_URL'];
  if (url !== undefined && url !== '') return addressOf(url);
  try {
    return openSession(io, given).target.url;
  } catch {
    return EXAMPLE;
  }
}

export const mcp: BuiltInCommand = {
  words: ['mcp'],
  summary: 'Connect an AI assistant to the server, over stdin and stdout.',
  description:
    'For editors and desktop assistants that start their servers themselves: put this command into their settings. It passes the messages to the server of the current context, or of --context, with its key. Let the assistant have a key of its own: create one with the preset for assistants in the portal, and store it with hostplane login --context assistant. --print-config shows the settings.',
  args: [],
  flags: [
    { name: 'readonly', kind: 'switch', description: 'Offer only what changes nothing.' },
    { name: 'print-config', kind: 'switch', description: 'Print the settings for AI programs, and end.' },
    {
      name: 'url',
      kind: 'text',
      placeholder: '<url>',
      description: 'Another server; the key is then HOSTPLANE_API_KEY.',
      isAdvanced: true,
    },
  ],
  async run({ io, given }) {
    if (isOn(given, 'print-config')) {
      const url = addressFor(io, given);
      const printer = printerFor(io, given);
      if (printer.isForPeople) await io.out(setupText(url));
      else await printer.value(setups(url));
      return exitCodes.done;
    }
    const { client, target } = openSession(surroundings(io, given), given);
    if (target.key === undefined) throw noKey();
    try {
      const bridge = new Bridge({ client, isReadOnly: isOn(given, 'readonly'), write: io.out });
      await bridge.run(io.readLines(), io.interrupted);
      return io.interrupted.aborted ? exitCodes.interrupted : exitCodes.done;
    } finally {
      client.close();
    }
  },
};
