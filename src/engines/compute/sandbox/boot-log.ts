/** Renders the serial console output of a machine from its recorded starts and stops. The output is not stored. */
import { createHash } from 'node:crypto';
import type { Boot, CloudInit, Machine, Moment } from './state.ts';

/** A line of output. It appears when this part of the boot time (0 to 1) has passed. */
type Line = readonly [part: number, text: string];

const NOMINAL_SECONDS = 9;

const stamp = (part: number): string => `[${(part * NOMINAL_SECONDS).toFixed(6).padStart(12)}]`;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

const titles: Readonly<Record<string, string>> = {
  ubuntu: 'Ubuntu',
  debian: 'Debian GNU/Linux',
  almalinux: 'AlmaLinux',
  rocky: 'Rocky Linux',
  fedora: 'Fedora Linux',
  alpine: 'Alpine Linux',
  freebsd: 'FreeBSD',
  'windows-server': 'Windows Server',
};

const titleOf = ({ system }: Machine): string =>
  `${titles[system.distribution] ?? 'Linux'} ${system.version}`.trim();

function kernelLines(machine: Machine, isRescue: boolean): Line[] {
  const { size, architecture, nics, system } = machine;
  const cpu = architecture === 'amd64' ? 'x86_64' : 'aarch64';
  const title = isRescue ? 'Hostplane Rescue' : titleOf(machine);
  const kernel = `6.8.${hash(system.distribution + system.version)[0]}-sandbox`;
  const text = (part: number, line: string): Line => [part, `${stamp(part)} ${line}`];
  return [
    [0, `Booting \`${title}'`],
    text(0, `Linux version ${kernel} (build@sandbox) #1 SMP PREEMPT_DYNAMIC ${cpu}`),
    text(0, `Command line: root=/dev/${isRescue ? 'ram0' : 'vda1'} ro console=ttyS0`),
    text(0.01, 'Hypervisor detected: KVM'),
    text(0.03, `Memory: ${size.memoryMb * 1024 - 48_128}K/${size.memoryMb * 1024}K available`),
    text(0.04, `smp: Brought up 1 node, ${size.vcpus} CPU${size.vcpus === 1 ? '' : 's'}`),
    text(
      0.1,
      `virtio_blk virtio1: [vda] ${size.diskGb * 2_097_152} 512-byte logical blocks (${size.diskGb} GiB)`,
    ),
    ...nics.map(({ mac }, i): Line => text(0.12, `virtio_net virtio${i + 2} eth${i}: ${mac}`)),
    text(0.18, 'EXT4-fs (vda1): mounted filesystem with ordered data mode'),
    text(0.22, 'systemd[1]: Detected virtualization kvm.'),
    text(0.23, `systemd[1]: Hostname set to <${isRescue ? 'rescue' : machine.guest.hostname}>.`),
    [0.3, '[  OK  ] Started systemd-journald.service - Journal Service.'],
    [0.35, '[  OK  ] Reached target local-fs.target - Local File Systems.'],
    [0.4, '[  OK  ] Started systemd-networkd.service - Network Configuration.'],
    ...nics
      .filter(({ ipv4, ipv6 }) => ipv4 !== null || ipv6 !== null)
      .map(
        ({ ipv4, ipv6 }, i): Line => [0.45, `         eth${i}: ${[ipv4, ipv6].filter(Boolean).join(' ')}`],
      ),
    [0.5, '[  OK  ] Reached target network-online.target - Network is Online.'],
  ];
}

function hostKeyLines(id: string, hostname: string): Line[] {
  return ['ECDSA', 'ED25519', 'RSA'].map((type): Line => {
    const digest = hash(`${id} ${hostname} ${type}`).toString('base64').replace(/=+$/, '');
    return [0.75, `ci-info: host key ${type} SHA256:${digest} root@${hostname}`];
  });
}

function cloudInitLines(id: string, { hostname, user, fingerprints, printed }: CloudInit): Line[] {
  return [
    [0.55, "cloud-init[512]: Cloud-init v. 24.4 running 'init' at network stage."],
    [0.6, `cloud-init[512]: setting hostname to ${hostname}`],
    [0.65, 'cloud-init[512]: Generating public/private host key pairs.'],
    ...(fingerprints.length === 0
      ? [[0.7, `ci-info: no authorized SSH keys for user ${user}.`] as const]
      : fingerprints.map((line): Line => [0.7, `ci-info: authorized key of user ${user}: ${line}`])),
    ...hostKeyLines(id, hostname),
    [0.8, "cloud-init[733]: Cloud-init v. 24.4 running 'modules:final'."],
    ...printed.map((line): Line => [0.9, line]),
    [
      0.95,
      `cloud-init[733]: Cloud-init v. 24.4 finished. Datasource DataSourceLXD. Up ${NOMINAL_SECONDS}.00 seconds`,
    ],
  ];
}

/** What the firmware writes if it does not boot the disk. */
const firmwareLines = {
  iso: (title: string): Line[] => [
    [0, `Booting from the drive: ${title === '' ? 'a disc without a name' : title}`],
    [1, 'The installer runs. Open the console to go on.'],
  ],
  nothing: (): Line[] => [[0, 'No bootable device.']],
} as const;

function startLines(
  id: string,
  machine: Machine,
  { isRescue, cloudInit, from = 'disk', title = '' }: Boot,
): Line[] {
  if (from !== 'disk') return firmwareLines[from](title);
  const hostname = isRescue ? 'rescue' : machine.guest.hostname;
  return [
    ...kernelLines(machine, isRescue),
    ...(cloudInit === null ? [] : cloudInitLines(id, cloudInit)),
    ...(machine.system.hasAgent && !isRescue
      ? [[0.97, '[  OK  ] Started incus-agent.service - Guest Agent.'] as const]
      : []),
    [1, ''],
    [1, `${isRescue ? 'Hostplane Rescue' : titleOf(machine)} ${hostname} ttyS0`],
    [1, ''],
    [1, `${hostname} login: `],
  ];
}

const endLines = {
  shutdown: ['', '[  OK  ] Reached target poweroff.target - System Power Off.', 'reboot: Power down'],
  cut: [],
  crashed: ['', 'Kernel panic - not syncing: Fatal exception in interrupt', '---[ end Kernel panic ]---'],
} as const;

function renderBoot(id: string, machine: Machine, boot: Boot, now: Moment): string[] {
  const until = Math.min(now, boot.end?.at ?? now);
  const whole = boot.upAt - boot.at;
  const passed = whole <= 0 || until >= boot.upAt ? 1 : (until - boot.at) / whole;
  const lines = startLines(id, machine, boot)
    .filter(([part]) => part <= passed)
    .map(([, text]) => text);
  return boot.end !== null && now >= boot.end.at ? [...lines, ...endLines[boot.end.how]] : lines;
}

export function renderLog(id: string, machine: Machine, now: Moment): string {
  return machine.boots
    .filter(({ at }) => at >= machine.logSince && at <= now)
    .flatMap((boot) => renderBoot(id, machine, boot, now))
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Returns the last `maxBytes` bytes or less. The text starts with a whole line if the range has one, otherwise with a
 * whole character.
 */
export function tail(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const end = bytes.subarray(bytes.length - maxBytes);
  const newline = end.indexOf('\n');
  if (newline !== -1 && newline < end.length - 1) return end.subarray(newline + 1).toString();
  const isMiddle = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
  let from = 0;
  while (isMiddle(end[from])) from++;
  return end.subarray(from).toString();
}
