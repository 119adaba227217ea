import type { Command } from 'commander';
import { setups, setupText } from '../mcp/setup.ts';
import type { Cli } from './command.ts';
import { Refusal } from './refusal.ts';

interface McpOptions {
  readonly url?: string;
  readonly readonly?: true;
  readonly printConfig?: true;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

function addressOf(text: string): string {
  if (!/^https?:\/\/[^\s/]+/.test(text))
    throw new Refusal(`"${text}" is no address of a server. Set HOSTPLANE_URL, such as ${DEFAULT_URL}.`, 2);
  return text.replace(/\/+$/, '');
}

/** A customer's command: it needs no database and no configuration, only the address of the server and a key. */
export function addMcp(program: Command, cli: Cli): void {
  program
    .command('mcp')
    .description('connect an AI assistant to a server, over stdin and stdout')
    .option('--url <url>', `the server (HOSTPLANE_URL, else ${DEFAULT_URL})`)
    .option('--readonly', 'offer only what changes nothing')
    .option('--print-config', 'print the settings for AI programs and end')
    .action(
      cli.action<McpOptions>(async ({ url: given, readonly: isReadOnly = false, printConfig }) => {
        const { env } = cli.io;
        const url = addressOf(given ?? env['HOSTPLANE_URL'] ?? DEFAULT_URL);
        if (printConfig) return { json: setups(url), text: setupText(url) };
        const key = env['HOSTPLANE_API_KEY'];
        if (key === undefined || key === '')
          throw new Refusal(
            'There is no API key. Set HOSTPLANE_API_KEY; hostplane mcp --print-config shows how.',
            2,
          );
        // Loaded here, because no other command needs the protocol.
        const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
        const { patientInput, StdioBridge } = await import('../mcp/stdio.ts');
        const input = patientInput(process.stdin, () => bridge);
        const bridge = new StdioBridge({ url, key, isReadOnly }, new StdioServerTransport(input));
        await bridge.run();
        return 0;
      }),
    );
}
