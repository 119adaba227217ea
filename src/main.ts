import { runCli } from './surfaces/cli/cli.ts';

process.exitCode = await runCli(process.argv.slice(2));
