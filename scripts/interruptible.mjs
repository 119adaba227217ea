// Runs programs one after the other. A signal ends the one that runs, then removes what tests left behind: their
// PostgreSQL has a process group of its own, so that no signal to this group reaches it.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './install.mjs';

let running;
let interruption;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    interruption = signal;
    running?.kill('SIGTERM');
  });

/** Resolves with the exit code. Ends this process if a signal arrived meanwhile. */
export function run(program, args, env = {}) {
  return new Promise((resolve) => {
    const end = (code) => {
      running = undefined;
      if (interruption === undefined) resolve(code);
      else leave();
    };
    running = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    running.on('error', (error) => {
      console.error(error.message);
      end(1);
    });
    running.on('close', end);
    if (interruption !== undefined) running.kill('SIGTERM');
  });
}

function leave() {
  spawnSync('node_modules/.bin/tsx', ['scripts/remove-leftovers.ts'], { cwd: root, stdio: 'inherit' });
  console.error(`Interrupted by ${interruption}.`);
  process.exit(128 + constants.signals[interruption]);
}
