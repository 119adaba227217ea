import { useQuery } from '@tanstack/react-query';
import { allowlistQuery } from '../../data/queries.ts';
import { useAccount } from '../../data/session.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { modeWords } from './modes.ts';

export function KeyTabs() {
  const account = useAccount();
  const mode = useQuery(allowlistQuery(account)).data?.mode;
  return (
    <Tabs
      label="Keys"
      tabs={[
        ['Keys', '/api/keys'],
        ['API IP allowlist', '/api/keys/allowlist', mode && modeWords[mode][0]],
        ['Recent API key denials', '/api/keys/denials'],
      ]}
    />
  );
}
