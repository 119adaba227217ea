import { setFlagsFromString } from 'node:v8';
import { loadConfiguration } from './configuration.ts';
import { examineEngines, sandboxDesk } from './engine-ports.ts';
import { families } from './families/index.ts';
import { buildRegistry } from './kernel/registry.ts';
import { serve } from './serve.ts';
import { runCli } from './surfaces/cli/cli.ts';
import { version } from './surfaces/openapi/version.ts';
import { ticketDesk } from './ticket-desk.ts';

// By default Node lets garbage grow to three times the size of the live objects before a full collection.
setFlagsFromString('--heap-growing-percent=100');

const registry = buildRegistry(families);
const parts = {
  version,
  registry,
  load: loadConfiguration,
  serve,
  sandbox: sandboxDesk(),
  tickets: ticketDesk(),
  examineEngines,
};
process.exitCode = await runCli(process.argv.slice(2), parts);
