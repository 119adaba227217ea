/**
 * Programs of the test in the network of a running container, for what busybox cannot do: holding a connection while
 * the test looks on, and UDP.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathOf } from '../../engines/compute/incus/driver-context.ts';
import { projectOf } from '../../engines/compute/incus/names.ts';
import type { Ref } from '../../engines/compute/port.ts';
import type { IncusHarness } from './harness.ts';

/** Sends back what it gets. */
const ECHO = `
  const [, port] = process.argv;
  const server = require('node:net').createServer((each) => each.on('error', () => {}).pipe(each));
  server.listen(Number(port), () => console.log('ready'));`;

/** Sends its input, and writes what it gets. */
const CONNECTION = `
  const [, address, port] = process.argv;
  const socket = require('node:net').connect(Number(port), address, () => console.log('ready'));
  process.stdin.pipe(socket).pipe(process.stdout);`;

/** Writes what arrives at its ports, answers questions, and sends lines of the form "address port text". */
const DATAGRAMS = `
  const [, ...ports] = process.argv;
  const sockets = ports.map((port) => {
    const socket = require('node:dgram').createSocket('udp4');
    socket.on('message', (text, from) => {
      console.log(port + ' ' + text);
      if (String(text) === 'question') socket.send('answer', from.port, from.address);
    });
    return new Promise((done) => socket.bind(Number(port), () => done(socket)));
  });
  Promise.all(sockets).then(([first]) => {
    console.log('ready');
    require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const [address, port, text] = line.split(' ');
      first.send(text, Number(port), address);
    });
  });`;

export interface Program {
  /** All lines that it has written. */
  readonly lines: readonly string[];
  say(line: string): void;
  end(): void;
}

interface Talk {
  echo(ref: Ref, port: number): Promise<Program>;
  connection(ref: Ref, address: string, port: number): Promise<Program>;
  /** It sends from the first of the ports. */
  datagrams(ref: Ref, ...ports: readonly number[]): Promise<Program>;
}

export function talkOf(harness: () => Pick<IncusHarness, 'daemon'>): Talk {
  async function start(ref: Ref, program: string, args: readonly (string | number)[]): Promise<Program> {
    const { pid } = await harness().daemon.client.ask<{ pid: number }>('GET', `${pathOf(ref)}/state`, {
      project: projectOf(ref),
    });
    const inside = [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', program, ...args.map(String)];
    const child = spawn('nsenter', inside, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: string[] = [];
    const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
    await new Promise((done, fail) => {
      output.once('line', done);
      child.once('error', fail);
      child.once('exit', () => fail(new Error('The program has ended before it was ready.')));
    });
    return { lines, say: (line) => child.stdin.write(`${line}\n`), end: () => child.kill('SIGKILL') };
  }
  return {
    echo: (ref, port) => start(ref, ECHO, [port]),
    connection: (ref, address, port) => start(ref, CONNECTION, [address, port]),
    datagrams: (ref, ...ports) => start(ref, DATAGRAMS, ports),
  };
}
