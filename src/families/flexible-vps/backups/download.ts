import type { imageFormats } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Download } from '../../../kernel/downloads/download.ts';
import { makeLink } from '../../../kernel/downloads/link.ts';
import { countLinks, endLinks } from '../../../kernel/downloads/store.ts';
import { referenceOf } from '../../../kernel/named/named.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, ok } from '../../../kernel/record.ts';
import {
  advanced,
  byProvider,
  Id,
  label,
  Named,
  OneOf,
  Secret,
  Shape,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { returnedBefore } from '../vm-access/schema.ts';
import { readArchive } from './archive.ts';
import { PartDamaged } from './cipher.ts';
import { backupLife } from './lifecycle.ts';
import { backupView } from './present.ts';
import { backups } from './resource.ts';
import { Backup, BackupParams } from './schema.ts';
import { readBackup, readLinks } from './store.ts';
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
    id: Id('lnk', { description: 'The id of the link, by which `download_links` of the backup lists it.' }),
    url: Secret(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...byProvider,
        readOnly: true,
        format: 'uri',
        description:
          'Whoever has this link can download the backup, also in ranges, until the link ends. Shown only in the first answer; null if that answer is repeated.',
      }),
    ),
    size_bytes: Type.Integer({ 'x-unit': 'bytes', description: 'The size of the file.' }),
    sha256: Type.String({ description: 'The SHA-256 of the file, hexadecimal.' }),
    format: OneOf(formats, { description: 'The format of the file.' }),
    expires_at: { ...Time, description: 'No download can begin after this time.' },
    ...returnedBefore,
  }),
);

const extensions = { qcow2: 'qcow2', raw: 'img', vmdk: 'vmdk', tarball: 'tar.gz' } as const;

export async function findBackupDownload(services: Services, id: string): Promise<Download | null> {
  const row = await readBackup(services.db, id);
  if (row?.status !== 'available' || row.sha256 === null || row.size_bytes === null) return null;
  return {
    owner: row.account_id,
    endpoint: createVmBackupDownload,
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

/** No list has these ids: the backup shows its links. */
const LinkToEnd = Type.String(
  written('^lnk_[0-9a-z]{26}$', 'Must be the id of a link, which starts with lnk_.'),
);

export const createVmBackupDownload = endpoint({
  id: 'createVmBackupDownload',
  method: 'POST',
  path: '/flexible-vps/v1/backups/{id}/download',
  summary: 'Make a download link for a backup',
  description:
    'The link needs no API key, so keep it secret. It serves the decrypted archive of the disk, and supports range requests.\n\nThe link belongs to the API key that made this call. If the key may no longer make this call, the link does not work any more, and downloads that are running are cut off. Examples: the key expired or was revoked, the account was suspended, or the allowlist does not contain the address that downloads. The link also ends with the backup.\n\n`download_links` of the backup lists the links that work. To end some of them, send their ids in `end_links`; with `make_link` false, the call makes no new link and answers with the backup.',
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
    end_links: Type.Optional(
      Type.Array(LinkToEnd, {
        maxItems: 100,
        uniqueItems: true,
        ...label('Links to end'),
        ...advanced,
        description:
          'Links of this backup that end with this call, also downloads that are running. Ids of links that have ended already are passed over. Default: none.',
      }),
    ),
    make_link: Type.Optional(
      Type.Boolean({
        default: true,
        ...label('Make a new link'),
        ...advanced,
        description: 'Whether to make a new link. With false, the call only ends links.',
      }),
    ),
  }),
  answers: { 200: Backup, 201: BackupDownload },
  problems: ['invalid_state', 'operation_in_progress', 'quota_exceeded'],
  example: {
    params: { id: backupView.example.id },
    body: { ttl_seconds: 3600 },
    answer: {
      status: 201,
      body: {
        id: 'lnk_01jqzv2m7xe9rs5d3k8w4t6y0b',
        url: 'https://api.host.example/downloads/lnk_01jqzv2m7xe9rs5d3k8w4t6y0b?token=AVxk0mq3w2c9T1hVb7Zk0mq3w2c9T1hVb7Zk0mq3w2c',
        size_bytes: 1_610_612_736,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        format: 'qcow2',
        expires_at: '2026-03-01T11:00:00.000Z',
      },
    },
  },
  async handle(call) {
    const { db, body, now } = call;
    // The lock keeps calls in parallel from exceeding the limit, and the backup from being deleted meanwhile.
    const row = await backups.lock(call, referenceOf(call.params.id));
    if (row === undefined) throw new Problem('not_found');
    const operation = (await pendingOn(db, [row.id])).get(row.id);
    backupLife.require('createVmBackupDownload', row.status, { operation });
    if (row.size_bytes === null || row.sha256 === null || row.format === null)
      throw new Problem('invalid_state', { extra: { current_state: row.status, allowed_states: [] } });
    const hasEnded = await end(call, row, body.end_links ?? []);
    if (body.make_link === false) {
      if (!hasEnded) call.effect({ action: 'none', ...backups.ref(row) });
      return ok(backupView.present(call, { ...row, links: await readLinks(db, row.id) }, operation));
    }
    await requireRoomIn(call, 'flexible-vps.download-links-per-backup', row.id, {
      before: await countLinks(db, row.id),
    });
    const expiresAt = new Date(now.getTime() + (body.ttl_seconds ?? TTL_SECONDS) * 1000);
    call.effect({ action: 'start', verb: 'makes a link to download', ...backups.ref(row) });
    const message = `A link to download the backup ${row.name} was made.`;
    call.event(backups.event('link_created', row, { message }));
    return created({
      ...(await makeLink(call, row.id, expiresAt)),
      size_bytes: row.size_bytes,
      sha256: row.sha256,
      format: row.format,
      expires_at: expiresAt.toISOString(),
    });
  },
});

async function end(
  call: Pick<Call, 'db' | 'effect' | 'event'>,
  row: BackupRow,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  const ended = await endLinks(call.db, row.id, ids);
  if (ended.length === 0) return false;
  call.effect({ action: 'update', verb: 'ends links to download', ...backups.ref(row) });
  const message = `Links to download the backup ${row.name} were ended.`;
  call.event(backups.event('links_ended', row, { message }));
  return true;
}
