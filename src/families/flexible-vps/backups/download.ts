import type { imageFormats } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import { type Download, downloadUrl } from '../../../kernel/downloads.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint } from '../../../kernel/record.ts';
import {
  advanced,
  byProvider,
  label,
  Named,
  OneOf,
  Secret,
  Shape,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { returnedBefore } from '../vm-access/schema.ts';
import { readArchive } from './archive.ts';
import { PartDamaged } from './cipher.ts';
import { backupLife } from './lifecycle.ts';
import { backups } from './resource.ts';
import { BackupParams, exampleBackup } from './schema.ts';
import { readBackup } from './store.ts';
import type { BackupRow } from './table.ts';

const TTL_SECONDS = 3600;

const formats: Readonly<Record<(typeof imageFormats)[number], string>> = {
  qcow2: 'A QEMU disk image.',
  raw: 'The plain bytes of a disk.',
  vmdk: 'A VMware disk image.',
  tarball: 'An archive of metadata.yaml and the root file system, as Incus and LXD import it.',
};

const BackupDownload = Named(
  'BackupDownload',
  Shape({
    url: Secret(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...byProvider,
        readOnly: true,
        format: 'uri',
        description:
          'Whoever has this link can download the backup, also in ranges, until it expires. Shown only in the first answer; null if that answer is repeated.',
      }),
    ),
    size_bytes: Type.Integer({ 'x-unit': 'bytes', description: 'The size of the file.' }),
    sha256: Type.String({ description: 'The SHA-256 of the file, hexadecimal.' }),
    format: OneOf(formats, { description: 'The format of the file.' }),
    expires_at: { ...Time, description: 'The link does not work after this time.' },
    ...returnedBefore,
  }),
);

/** Binds a token to its use, so that no other sealed text is taken for one. */
const ownerOf = (backupId: string): string => `download of ${backupId}`;

function tokenFor({ secrets }: Pick<Services, 'secrets'>, backupId: string, expiresAt: Date): string {
  return secrets.close(Buffer.from(expiresAt.toISOString()), ownerOf(backupId)).toString('base64url');
}

function isValid({ secrets }: Pick<Services, 'secrets'>, backupId: string, token: string): boolean {
  const sealed = Buffer.from(token, 'base64url');
  // Characters that do not belong to a token are ignored by the decoder.
  if (sealed.toString('base64url') !== token) return false;
  try {
    const text = secrets.open(sealed, ownerOf(backupId)).toString();
    return Date.parse(text) > Date.now();
  } catch {
    return false;
  }
}

const extensions = { qcow2: 'qcow2', raw: 'img', vmdk: 'vmdk', tarball: 'tar.gz' } as const;

export async function findBackupDownload(
  services: Services,
  id: string,
  token: string,
): Promise<Download | null> {
  if (!isValid(services, id, token)) return null;
  const row = await readBackup(services.db, id);
  if (row?.status !== 'available' || row.sha256 === null || row.size_bytes === null) return null;
  return {
    owner: row.account_id,
    name: `${row.name}.${extensions[row.format ?? 'raw']}`,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    read: (from, to, signal) => readLogged(services, row, { from, to }, signal),
  };
}

/** The answer has begun when a part turns out to be damaged: the client sees that it is cut off. */
async function* readLogged(
  services: Services,
  row: BackupRow,
  range: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    const { downloads } = engineAt(services.objects, row.location);
    for await (const part of readArchive(services.db, services, row, range, signal))
      yield* downloads.pace(part, signal);
  } catch (error) {
    if (error instanceof PartDamaged)
      services.log.error({ err: error, backup_id: row.id }, 'a backup is damaged');
    throw error;
  }
}

export const createVmBackupDownload = endpoint({
  id: 'createVmBackupDownload',
  method: 'POST',
  path: '/flexible-vps/v1/backups/{id}/download',
  summary: 'Make a download link for a backup',
  description:
    'The link needs no API key, so keep it secret. It serves the decrypted archive of the disk, and supports range requests.',
  permission: 'flexible-vps:backup-downloads:write',
  access: 'write',
  sensitive: true,
  resource: { name: 'backup', role: 'action' },
  params: BackupParams,
  body: Shape({
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: 300,
        maximum: 86_400,
        default: TTL_SECONDS,
        'x-unit': 'seconds',
        ...label('Link valid for'),
        ...advanced,
        description: 'How long the link works.',
      }),
    ),
  }),
  answers: { 201: BackupDownload },
  problems: ['invalid_state', 'operation_in_progress'],
  example: {
    params: { id: exampleBackup.id },
    body: { ttl_seconds: 3600 },
    answer: {
      status: 201,
      body: {
        url: 'https://api.host.example/downloads/bkp_01jqzv2m7xe9rs5d3k8w4t6y0b?token=AVxk0mq3w2c9T1hVb7Zk0mq3w2c9T1hVb7Zk0mq3w2c9T',
        size_bytes: 1_610_612_736,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        format: 'qcow2',
        expires_at: '2026-03-01T11:00:00.000Z',
      },
    },
  },
  async handle(call) {
    const { db, body, services, now } = call;
    const row = await backups.get(call, call.params.id);
    const operation = (await pendingOn(db, [row.id])).get(row.id);
    backupLife.require('createVmBackupDownload', row.status, { operation });
    if (row.size_bytes === null || row.sha256 === null || row.format === null)
      throw new Problem('invalid_state', { extra: { current_state: row.status, allowed_states: [] } });
    const expiresAt = new Date(now.getTime() + (body.ttl_seconds ?? TTL_SECONDS) * 1000);
    call.effect({ action: 'start', ...backups.ref(row) });
    const message = `A link to download the backup ${row.name} was made.`;
    call.event(backups.event('link_created', row, { message }));
    return created({
      url: downloadUrl(services.baseUrl, row.id, tokenFor(services, row.id, expiresAt)),
      size_bytes: row.size_bytes,
      sha256: row.sha256,
      format: row.format,
      expires_at: expiresAt.toISOString(),
    });
  },
});
