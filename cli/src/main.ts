import { runCli } from './cli.ts';
import { processIo } from './io.ts';

const interrupted = new AbortController();
// The second Ctrl-C ends the program at once, because the handler is gone by then.
process.once('SIGINT', () => interrupted.abort());
// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

void runCli(process.argv.slice(2), processIo(interrupted.signal)).then((code) => {
  process.exitCode = code;
});
