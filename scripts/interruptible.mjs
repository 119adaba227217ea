// Runs programs. A signal ends those that run, then removes what tests left behind: their PostgreSQL has a process
// group of its own, so that no signal to this group reaches it.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './install.mjs';

const running = new Set();
let interruption;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    interruption = signal;
    for (const child of running) child.kill('SIGTERM');
  });

/** Resolves with the exit code. Ends this process if a signal arrived meanwhile, once no program runs. */
export function run(program, args, env = {}) {
  return start(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
}

/** As `run`, but beside others: what the program prints is printed when it has ended. */
export async function runAside(title, program, args) {
  const printed = [];
  const code = await start(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }, (text) =>
    printed.push(text),
  );
  console.log(`\n== ${title}\n${Buffer.concat(printed)}`);
  return code;
}

function start(program, args, options, keep = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, ...options });
    running.add(child);
    const end = (code) => {
      running.delete(child);
      if (interruption === undefined) resolve(code);
      else if (running.size === 0) leave();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', (error) => {
      console.error(error.message);
      end(1);
    });
    child.on('close', end);
    if (interruption !== undefined) child.kill('SIGTERM');
  });
}

function leave() {
  spawnSync('node_modules/.bin/tsx', ['scripts/remove-leftovers.ts'], { cwd: root, stdio: 'inherit' });
  console.error(`Interrupted by ${interruption}.`);
  process.exit(128 + constants.signals[interruption]);
}
