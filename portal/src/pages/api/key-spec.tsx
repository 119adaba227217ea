import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../data/http.ts';
import { keysQuery } from '../../data/queries.ts';
import { acts, maySee, useMaybeAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAct } from '../../ui/use-act.ts';

type Format = 'json' | 'yaml';

/** Everybody may see the page around it; a key can be chosen by those who may see the keys of their account. */
export function KeySpec() {
  const account = useMaybeAccount();
  return account !== undefined && maySee(account) ? <OfAccount account={account} /> : null;
}

/** Downloads the part of the document that one of the account's keys may call. Nothing is shown if there is no such key. */
function OfAccount({ account }: { account: Account }) {
  const keys = useQuery(keysQuery(account)).data?.data.filter(({ status }) => status === 'active') ?? [];
  const [chosen, choose] = useState('');
  const keyId = chosen || (keys[0]?.id ?? '');
  const { busy, error, run } = useAct(async (format: Format) => {
    const path = `${acts(account)}/keys/${encodeURIComponent(keyId)}/specification?format=${format}`;
    saveFile(`openapi.${format}`, (await get<{ text: string }>(path)).text);
  });
  if (keys.length === 0) return null;
  return (
    <div className="mb-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-full max-w-[440px]">
          <SelectField label="Key" value={keyId} onChange={(event) => choose(event.target.value)}>
            {keys.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
        {(['json', 'yaml'] as const).map((format) => (
          <Button key={format} busy={busy} onClick={() => void run(format)}>
            Download {format.toUpperCase()}
          </Button>
        ))}
      </div>
      {error !== null && (
        <div className="mt-3">
          <ProblemNotice error={error} />
        </div>
      )}
    </div>
  );
}
