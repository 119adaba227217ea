/** What a location sells, as far as its engine has to support it, and how the checks reach the engine. */
import type { Examination } from '../../../../kernel/registry.ts';
import type { Client } from '../client.ts';
import type { Server } from '../driver-context.ts';
import type { IncusSettings } from '../settings.ts';

export interface Sold {
  readonly location: string;
  readonly architectures: readonly ('amd64' | 'arm64')[];
  /** Pools of single addresses. */
  readonly pools: readonly { readonly cidr: string; readonly version: 4 | 6 }[];
  readonly images: readonly SoldImage[];
  readonly isos: readonly { readonly slug: string; readonly architecture: 'amd64' | 'arm64' }[];
  /** The smallest plan; `null` if no plan is sold. */
  readonly smallest: { readonly vcpus: number; readonly memoryMb: number; readonly diskGb: number } | null;
  /** The path of our certificate, for the operator to add to the engine; `null` over a socket. */
  readonly certificateFile: string | null;
}

interface SoldImage {
  readonly slug: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly distribution: string;
  readonly version: string;
}

export interface Place {
  readonly client: Client;
  readonly settings: IncusSettings;
  readonly sold: Sold;
  readonly server: Server;
  /** The online members of a cluster; `null` stands for a server without a cluster. */
  readonly members: readonly (string | null)[];
}

/** The command line program; both have the same subcommands. */
export const cliOf = ({ environment }: Server): 'incus' | 'lxc' =>
  environment.server === 'lxd' ? 'lxc' : 'incus';

export const fine = (sold: Sold, what: string, detail: string): Examination => ({
  name: `${sold.location} ${what}`,
  detail,
});

export const wrong = (sold: Sold, what: string, detail: string, fix: string): Examination => ({
  ...fine(sold, what, detail),
  fix,
});

const ARCHITECTURES = { x86_64: 'amd64', aarch64: 'arm64' } as const;

/** Translates the engine's name, such as `x86_64`, into ours. */
export const architectureOf = (name: string): string =>
  name in ARCHITECTURES ? ARCHITECTURES[name as keyof typeof ARCHITECTURES] : name;
