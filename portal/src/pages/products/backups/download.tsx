import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { perform, refreshNouns } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import { formatBytes } from '../../../data/sizes.ts';
import type { Backup } from '../../../data/storage-types.ts';
import type { Operation } from '../../../data/types.ts';
import { formatTime } from '../../../data/words.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Code, Copy } from '../../../ui/code.tsx';
import { Fact, Facts } from '../../../ui/facts.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useAct } from '../../../ui/use-act.ts';
import { Work } from '../work.tsx';
import { useBackupActs } from './acts.ts';
import { Links } from './links-table.tsx';

/** The answer to `createVmBackupDownload`. */
export interface Made {
  readonly id: string;
  readonly url: string | null;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly format: keyof typeof extensions;
  readonly expires_at: string;
}

/** As the file is called that the browser stores. */
const extensions = { qcow2: 'qcow2', raw: 'img', vmdk: 'vmdk', tarball: 'tar.gz' } as const;

const validities = [
  [300, '5 minutes'],
  [3600, '1 hour'],
  [21_600, '6 hours'],
  [86_400, '1 day'],
] as const;

export default function Download({ found: { row, noun, path, families } }: { found: Found }) {
  const backup = row as unknown as Backup;
  const account = useAccount();
  const client = useQueryClient();
  const acts = useBackupActs(families);
  const [seconds, setSeconds] = useState(3600);
  const [made, setMade] = useState<Made | null>(null);
  const call = noun.actions.find(({ id }) => id === 'createVmBackupDownload');
  const make = useAct(async () => {
    if (call === undefined) return;
    setMade((await perform(account, { call, path, body: { ttl_seconds: seconds } })) as unknown as Made);
    refreshNouns(client, account.id);
  });
  if (backup.status === 'creating' && backup.operation)
    return (
      <Work
        title="The archive is being made. It can be downloaded when it is stored."
        operation={backup.operation as Operation}
      />
    );
  const why = acts.download(backup);
  return (
    <>
      <Section
        title="The archive"
        note="The whole disk as one file, decrypted. Whoever has a link can download it, without signing in."
      >
        <Facts>
          <Fact title="Size">{backup.size_bytes === null ? '–' : formatBytes(backup.size_bytes)}</Fact>
          <Fact title="SHA-256">
            {backup.sha256 === null ? (
              '–'
            ) : (
              <span className="flex flex-wrap items-center gap-x-2">
                <code className="min-w-0 wrap-anywhere">{backup.sha256}</code>
                <Copy text={backup.sha256} className="btn btn-quiet btn-small -my-1" />
              </span>
            )}
          </Fact>
        </Facts>
      </Section>
      {made === null ? (
        <div className="mb-8 flex flex-wrap items-end gap-3">
          <div className="w-[180px] max-sm:w-full">
            <SelectField
              label="The link works for"
              value={seconds}
              onChange={({ target }) => setSeconds(Number(target.value))}
            >
              {validities.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </SelectField>
          </div>
          <Button kind="primary" busy={make.busy} why={why} onClick={() => void make.run()}>
            Make a download link
          </Button>
        </div>
      ) : (
        <Link made={made} backup={backup} another={() => setMade(null)} />
      )}
      <ProblemNotice error={make.error} />
      <Links backup={backup} call={call} path={path} why={why} />
    </>
  );
}

/** Quotes that no name can leave. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function Link({ made, backup, another }: { made: Made; backup: Backup; another: () => void }) {
  const name = `${backup.name}.${extensions[made.format]}`;
  if (made.url === null)
    return <Notice tone="warn">The link was shown in an earlier answer. Make another one.</Notice>;
  return (
    <section aria-label="The link" className="mb-8 grid grid-cols-1 gap-4">
      <Notice tone="info">
        Shown only now. It works until {formatTime(made.expires_at)} (<Ago time={made.expires_at} />
        ), as long as you stay signed in: signing out ends it, also while it is downloaded. A link that an API
        key makes has no such end.
      </Notice>
      <p className="flex flex-wrap gap-2">
        <a href={made.url} download className="btn btn-primary wrap-anywhere">
          <Icon name="download" />
          Download {name}
        </a>
        <Copy text={made.url} label="Copy the link" className="btn btn-plain" />
        <Button kind="quiet" onClick={another}>
          Make another one
        </Button>
      </p>
      <Code
        title="On a server, with a check"
        text={`curl --fail --continue-at - --output ${quoted(name)} ${quoted(made.url)}\necho ${quoted(`${made.sha256}  ${name}`)} | sha256sum --check`}
        wrap
      />
    </section>
  );
}
