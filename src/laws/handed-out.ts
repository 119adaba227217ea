/**
 * What calls hand out: secrets with which something can be opened later, without the key of the caller. The laws about
 * lost rights find them by the marks of the answers, so that a new one cannot be forgotten.
 */
import { once } from 'node:events';
import { families } from '../families/index.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { dialConsole, refusalOf, type Session } from '../testing/console-client.ts';
import { endOfDownload, openDownload, pathOf } from '../testing/large-backup.ts';

const isSecret = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  ('x-secret' in schema || Object.values(schema).some((part) => isSecret(part)));

/** The endpoints whose answers contain a secret. */
export const handingOut: readonly string[] = families
  .flatMap(({ endpoints }) => endpoints)
  .filter(({ answers }: Endpoint) => Object.values(answers).some((schema) => isSecret(schema)))
  .map(({ id }) => id)
  .sort();

export interface Ids {
  readonly vmId: string;
  readonly backupId: string;
}

export interface Opened {
  /** How it ended. */
  readonly ended: Promise<string>;
}

/** A secret that a call hands out, and its use over a connection of its own. */
export interface Handed {
  /** The column with its hash. */
  readonly keptIn: string;
  urlOf(ids: Ids): string;
  /** The id of the resource that it opens. */
  resourceOf(ids: Ids): string;
  /** Uses the secret in an answer of the endpoint, and returns when bytes have arrived. */
  open(answer: unknown, port: number): Promise<Opened>;
  /** The refusal of a secret that does not work, without what differs between any two requests. */
  refusal(answer: unknown, port: number): Promise<string>;
  /** The answer of the endpoint with an id and a secret that do not exist. */
  unknown(answer: unknown): unknown;
  /** Whether the client learns why its connection ended. */
  readonly tellsReason: boolean;
}

const without = (body: string): string => body.replaceAll(/req_[0-9a-z]{26}/g, 'req');

/** By the endpoint that hands it out. */
export const handed: Readonly<Record<string, Handed>> = {
  createVmConsoleSession: {
    keptIn: 'console_sessions.token_hash',
    resourceOf: ({ vmId }) => vmId,
    urlOf: ({ vmId }) => `/flexible-vps/v1/vms/${vmId}/console-sessions`,
    async open(answer, port) {
      const socket = dialConsole(answer as Session, port);
      // The prompt of the machine: bytes go both ways.
      await once(socket, 'message');
      return { ended: once(socket, 'close').then(([code, reason]) => `${code} ${reason}`) };
    },
    async refusal(answer, port) {
      const { status, body } = await refusalOf(dialConsole(answer as Session, port));
      return `${status} ${without(body)}`;
    },
    unknown: (answer) => ({
      url: (answer as Session).url.replace(/con_.{26}$/, 'con_01jqzv2m7xe9rs5d3k8w4t6y0b'),
      token: 'x',
    }),
    tellsReason: true,
  },
  createVmBackupDownload: {
    keptIn: 'download_links.token_hash',
    resourceOf: ({ backupId }) => backupId,
    urlOf: ({ backupId }) => `/flexible-vps/v1/backups/${backupId}/download`,
    async open(answer, port) {
      const response = await openDownload(port, pathOf(answer as { url: string }));
      if (response.statusCode !== 200) throw new Error(`The download began with ${response.statusCode}.`);
      return { ended: endOfDownload(response) };
    },
    async refusal(answer, port) {
      const response = await openDownload(port, pathOf(answer as { url: string }));
      let body = '';
      for await (const part of response) body += String(part);
      return `${response.statusCode} ${without(body)}`;
    },
    unknown: (answer) => ({
      url: (answer as { url: string }).url.replace(/lnk_.*$/, 'lnk_01jqzv2m7xe9rs5d3k8w4t6y0b?token=x'),
    }),
    tellsReason: false,
  },
};

/** Downloads of 24 MB last longer than a test. */
export const slowDownloads = (config: ProviderConfig): ProviderConfig => ({
  ...config,
  catalogue: {
    ...config.catalogue,
    locations: config.catalogue.locations.map((location) => ({
      ...location,
      backups: location.backups && { ...location.backups, megabytes_per_second: 1 },
    })),
  },
});
