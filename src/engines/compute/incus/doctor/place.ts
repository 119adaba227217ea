/** What is sold in a location, as far as its engine has to be fit for it, and how the engine is spoken to. */
import type { Examination } from '../../../../kernel/registry.ts';
import type { Client } from '../client.ts';
import type { IncusSettings } from '../settings.ts';
import type { Server } from '../site.ts';

export interface Sold {
  readonly location: string;
  readonly architectures: readonly ('amd64' | 'arm64')[];
  /** Ranges of single addresses. */
  readonly pools: readonly { readonly cidr: string; readonly version: 4 | 6 }[];
  readonly images: readonly SoldImage[];
  /** The smallest machine; `null` where none is sold. */
  readonly smallest: { readonly vcpus: number; readonly memoryMb: number; readonly diskGb: number } | null;
  /** Our certificate, for the operator to show to the engine; `null` over a socket. */
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
  /** The members of a cluster that are there; `null` stands for a server by itself. */
  readonly members: readonly (string | null)[];
}

/** What an operator types: the same words, another program. */
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

/** As we call what the engine calls `x86_64`. */
export const architectureOf = (name: string): string =>
  name in ARCHITECTURES ? ARCHITECTURES[name as keyof typeof ARCHITECTURES] : name;
