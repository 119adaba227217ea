/** The commands of the sandbox's shell that try a connection to another machine. */
import { parseAddress } from '../../../kernel/net/address.ts';
import type { Ref } from '../instance.ts';
import type { ComputeCore } from './core.ts';
import { writeInside } from './guest-actions.ts';
import { type Delivery, type Packet, send, socketPath } from './packets.ts';

const USAGE = 'usage: nc -zv ADDRESS PORT, nc -u -zv ADDRESS PORT, nc -l PORT\n';
const ECHO_REQUEST = { 4: 8, 6: 128 } as const;

function portOf(text: string | undefined): number | null {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

const said: Readonly<Record<Delivery, string>> = {
  arrived: 'succeeded!',
  refused: 'failed: Connection refused',
  dropped: 'failed: Connection timed out',
  unreachable: 'failed: No route to host',
};

/** `nc -l` listens on a port until the file in /run/listening is gone. */
export async function netcat(core: ComputeCore, ref: Ref, args: readonly string[]): Promise<string> {
  const flags = args.filter((arg) => arg.startsWith('-')).join('');
  const [address = '', port] = args.filter((arg) => !arg.startsWith('-'));
  if (flags.includes('l')) {
    const own = portOf(address);
    if (own === null) return USAGE;
    await writeInside(core, ref, socketPath(own), '');
    return `Listening on 0.0.0.0 ${own}\n`;
  }
  const target = portOf(port);
  if (target === null || parseAddress(address) === null) return USAGE;
  const protocol = flags.includes('u') ? 'udp' : 'tcp';
  const delivery = await send(core, ref, address, { protocol, port: target });
  const ending = said[delivery];
  return `Connection to ${address} ${target} port [${protocol}] ${ending}\n`;
}

export async function ping(core: ComputeCore, ref: Ref, args: readonly string[]): Promise<string> {
  const address = args.find((arg) => !arg.startsWith('-')) ?? '';
  const parsed = parseAddress(address);
  if (parsed === null) return 'usage: ping ADDRESS\n';
  const packet: Packet = {
    protocol: parsed.family === 4 ? 'icmp' : 'icmpv6',
    type: ECHO_REQUEST[parsed.family],
  };
  const delivery = await send(core, ref, address, packet);
  const received = delivery === 'arrived' ? 1 : 0;
  const answer = received === 1 ? `64 bytes from ${address}: icmp_seq=1 ttl=64 time=0.4 ms\n` : '';
  return `${answer}1 packets transmitted, ${received} received, ${received === 1 ? 0 : 100}% packet loss\n`;
}
