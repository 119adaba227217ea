/** The firewall of a VPN gateway, loaded into a network of its own on this machine. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { callableRanges } from '../../../kernel/net/callable-ranges.ts';
import { rulesOf } from './gateway-files.ts';

const PORT = 51820;
const ALLOW = ['10.7.0.0/16'];
const DENY = ['8.8.4.0/24', '10.7.7.0/24'];

/** An interface with nobody at its other end. All packets of this network leave by it. */
const SETUP = `set -e
ip link set lo up
ip link add eth0 type veth peer name far
ip link set eth0 up
ip link set far up
ip addr add 10.99.0.1/24 dev eth0
ip addr add 10.99.0.2/24 dev eth0
ip addr add 2a00:1::1/64 dev eth0 nodad
ip route add default dev eth0
ip -6 route add default dev eth0
printf '%s' "$RULES" | nft -f -
exec "$NODE" -e "$PROGRAM"`;

/** Sends from the port of WireGuard to each address, and answers a peer that has called first. */
const PROGRAM = `
const dgram = require('node:dgram');
const bound = (type, port, address) => new Promise((resolve) => {
  const socket = dgram.createSocket(type);
  socket.bind(port, address, () => resolve(socket));
});
const sent = (socket, port, address) => new Promise((resolve) =>
  socket.send('x', port, address, (error) => resolve(error ? error.code : 'sent')));
(async () => {
  const told = {};
  const sockets = { 4: await bound('udp4', ${PORT}), 6: await bound('udp6', ${PORT}, '2a00:1::1') };
  const other = await bound('udp4', 4000, '10.99.0.2');
  for (const address of JSON.parse(process.env.ADDRESSES))
    told[address] = await sent(sockets[address.includes(':') ? 6 : 4], 51820, address);
  told['from another port'] = await sent(other, 53, '10.0.0.53');
  told['to a peer before it calls'] = await sent(sockets[4], 4000, '10.99.0.2');
  const heard = new Promise((resolve) => sockets[4].once('message', resolve));
  await sent(other, ${PORT}, '10.99.0.1');
  await heard;
  told['to a peer that has called'] = await sent(sockets[4], 4000, '10.99.0.2');
  console.log(JSON.stringify(told));
  process.exit(0);
})();`;

const hasAll =
  process.getuid?.() === 0 &&
  ['nft --version', 'ip -V', 'unshare --version'].every((command) => {
    const [program = '', ...given] = command.split(' ');
    return spawnSync(program, given).status === 0;
  });
const title = 'a VPN gateway';

describe.skipIf(!hasAll)(
  hasAll ? title : `${title}: only root with nft, ip and unshare can try its rules`,
  () => {
    it('sends to public addresses and those that the provider allows, and answers every peer that calls first', () => {
      const expected = {
        '9.9.9.9': 'sent',
        '2a00:2::1': 'sent',
        '10.7.1.1': 'sent',
        '10.7.7.7': 'EPERM',
        '8.8.4.4': 'EPERM',
        '10.0.0.1': 'EPERM',
        '172.16.1.1': 'EPERM',
        '192.168.1.1': 'EPERM',
        '100.64.0.1': 'EPERM',
        '127.0.0.1': 'EPERM',
        '169.254.169.254': 'EPERM',
        '168.63.129.16': 'EPERM',
        '240.0.0.1': 'EPERM',
        '::1': 'EPERM',
        'fd00::1': 'EPERM',
        '2001:db8::1': 'EPERM',
      };
      const rules = rulesOf({
        addresses: ['100.96.0.1/24', 'fd12::1/64'],
        port: PORT,
        callable: callableRanges({ allow: ALLOW, deny: DENY }),
      });
      const { stdout, stderr } = spawnSync('unshare', ['--net', 'sh', '-c', SETUP], {
        encoding: 'utf8',
        env: {
          ...process.env,
          ADDRESSES: JSON.stringify(Object.keys(expected)),
          RULES: rules,
          PROGRAM,
          NODE: process.execPath,
        },
      });
      expect(JSON.parse(stdout || 'null'), stderr).toEqual({
        ...expected,
        'from another port': 'sent',
        'to a peer before it calls': 'EPERM',
        'to a peer that has called': 'sent',
      });
    });
  },
);
