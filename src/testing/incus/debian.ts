/**
 * Builds a Debian 12 image with the real cloud-init and the templates of public images. The build takes a minute or
 * two, and the file is kept for later runs.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../cache.ts';
import type { TestDaemon } from './daemon.ts';
import { searchPath } from './programs.ts';

const run = promisify(execFile);

export const DEBIAN = 'debian-12';
const RELEASE = 'bookworm';

/**
 * `netplan` is what the images of Debian itself and of Ubuntu use. The public container images have only networkd.
 */
export const renderers = ['networkd', 'netplan'] as const;
export type Renderer = (typeof renderers)[number];

const packages = [
  ...['systemd', 'systemd-sysv', 'systemd-resolved', 'dbus', 'udev', 'cloud-init', 'openssh-server'],
  ...['sudo', 'locales', 'iproute2', 'iputils-ping'],
];

const told = (what: string): string =>
  [
    `{%- if config_get("cloud-init.${what}", properties.default) == properties.default -%}`,
    `{{ config_get("user.${what}", properties.default) }}`,
    '{%- else -%}',
    `{{- config_get("cloud-init.${what}", properties.default) }}`,
    '{%- endif %}\n',
  ].join('\n');

const templates: Readonly<Record<string, string>> = {
  '/etc/hostname': '{{ container.name }}\n',
  '/var/lib/cloud/seed/nocloud-net/meta-data':
    'instance-id: {{ container.name }}\nlocal-hostname: {{ container.name }}\n{{ config_get("user.meta-data", "") }}\n',
  '/var/lib/cloud/seed/nocloud-net/user-data': told('user-data'),
  '/var/lib/cloud/seed/nocloud-net/vendor-data': told('vendor-data'),
  '/var/lib/cloud/seed/nocloud-net/network-config': told('network-config'),
};

const fileOf = (path: string): string => `${path.slice(path.lastIndexOf('/') + 1)}.tpl`;

const defaultOf = (path: string): string =>
  path.endsWith('network-config')
    ? 'version: 1\nconfig: [{ type: physical, name: eth0, subnets: [{ type: dhcp, control: auto }] }]'
    : '#cloud-config\n{}';

const metadata = {
  architecture: arch() === 'arm64' ? 'aarch64' : 'x86_64',
  creation_date: 1_700_000_000,
  properties: { os: 'debian', release: RELEASE, description: 'Debian 12 with cloud-init' },
  templates: Object.fromEntries(
    Object.keys(templates).map((path) => [
      path,
      { when: ['create', 'copy'], template: fileOf(path), properties: { default: defaultOf(path) } },
    ]),
  ),
};

/** Returns the path of the image file. */
export async function buildDebian(renderer: Renderer): Promise<string> {
  const file = join(CACHE, `${DEBIAN}-${renderer}.tar`);
  if (existsSync(file)) return file;
  const place = `${file}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  await rm(place, { recursive: true, force: true });
  try {
    await fill(place, renderer);
    await run('tar', ['-C', place, '--numeric-owner', '-cf', `${place}.tar`, '.']);
    await rename(`${place}.tar`, file);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return file;
}

async function fill(place: string, renderer: Renderer): Promise<void> {
  const env = { ...process.env, PATH: searchPath };
  const include = [...packages, ...(renderer === 'netplan' ? ['netplan.io'] : [])].join(',');
  await mkdir(join(place, 'templates'), { recursive: true });
  for (const [path, text] of Object.entries(templates))
    await writeFile(join(place, 'templates', fileOf(path)), text);
  // JSON is valid YAML.
  await writeFile(join(place, 'metadata.yaml'), JSON.stringify(metadata));
  const root = join(place, 'rootfs');
  const made = ['--variant=minbase', '--mode=root', '--format=directory', `--include=${include}`];
  await run('mmdebstrap', [...made, RELEASE, root], { env, maxBuffer: 2 ** 26 });
  // Otherwise cloud-init tries to generate the locale, and fails.
  const locale = 'echo en_US.UTF-8 UTF-8 >> /etc/locale.gen; locale-gen; update-locale LANG=en_US.UTF-8';
  await run('chroot', [root, 'sh', '-ec', locale], { env });
  await run('systemctl', [`--root=${root}`, 'enable', 'systemd-networkd.service', 'systemd-networkd.socket']);
  await run('rm', ['-rf', join(root, 'var/lib/apt/lists'), join(root, 'var/cache/apt')]);
  await writeFile(join(root, 'etc/machine-id'), '');
}

export async function furnishDebian({ client }: TestDaemon, renderer: Renderer): Promise<void> {
  const file = await buildDebian(renderer);
  const headers = { 'content-type': 'application/octet-stream' };
  const done = await client.run('POST', '/1.0/images', { file, headers });
  const target = done?.metadata?.fingerprint;
  await client.run('POST', '/1.0/images/aliases', { body: { name: DEBIAN, target } });
}
