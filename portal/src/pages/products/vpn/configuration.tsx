import { useState } from 'react';
import type { VpnPeer } from '../../../../../src/families/flexible-vps/vpn-peers/schema.ts';
import { useWhyNot } from '../../../data/access.ts';
import { getText } from '../../../data/http.ts';
import { filled } from '../../../data/nouns.ts';
import { calls, useAccount } from '../../../data/session.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Ago } from '../../../ui/time.tsx';
import { useAct } from '../../../ui/use-act.ts';
import { QrCode } from '../../me/qr-code.tsx';

/** The secrets of a peer: read when somebody asks, and forgotten with the page. */
export default function Configuration({ found: { row, noun, path } }: { found: Found }) {
  const peer = row as unknown as VpnPeer;
  const account = useAccount();
  const whyNot = useWhyNot();
  const call = noun.actions.find(({ id }) => id === 'getVpnPeerConfig');
  const [isFull, setFull] = useState(false);
  const [text, setText] = useState<string | null>(null);
  const read = useAct(async (full: boolean) => {
    setText(await getText(`${calls(account)}${filled(call?.path ?? '', path)}?full_tunnel=${full}`));
  });
  const until = peer.private_key_available_until;
  const choose = (full: boolean): void => {
    setFull(full);
    if (text !== null) void read.run(full);
  };
  return (
    <div className="grid gap-5">
      <div className="grid max-w-[68ch] gap-3">
        {until === null ? (
          <Notice tone="warn">{withoutKey(peer)}</Notice>
        ) : (
          <p>
            For the WireGuard app of the device. It has the private key of the device, which is erased here{' '}
            <Ago time={until} />.
          </p>
        )}
        <CheckField
          label="Send all traffic through the tunnel"
          hint="Otherwise only what goes to the private networks."
          checked={isFull}
          onChange={({ target }) => choose(target.checked)}
        />
      </div>
      {text === null ? (
        <div>
          <Button
            kind="primary"
            busy={read.busy}
            why={whyNot(call?.id ?? '')}
            onClick={() => void read.run(isFull)}
          >
            Show the configuration
          </Button>
          <p className="mt-2 text-sm text-muted">The audit log notes who reads it.</p>
        </div>
      ) : (
        <div className="flex flex-wrap items-start gap-6">
          {until !== null && (
            <figure className="grid gap-2 text-center">
              <QrCode text={text} label="QR code with the configuration" large />
              <figcaption className="text-sm text-muted">Scan it with the WireGuard app.</figcaption>
            </figure>
          )}
          <div className="min-w-0 flex-1 basis-[300px]">
            <Code title={`${peer.name}.conf`} text={text} wrap>
              <Button small kind="quiet" onClick={() => saveFile(`${peer.name}.conf`, text)}>
                <Icon name="download" />
                Download
              </Button>
            </Code>
            <div className="mt-3">
              <Button onClick={() => setText(null)}>Hide it</Button>
            </div>
          </div>
        </div>
      )}
      <ProblemNotice error={read.error} />
    </div>
  );
}

const withoutKey = ({ key_source }: VpnPeer): string =>
  key_source === 'client'
    ? 'The private key of this peer never was here: put it into the file yourself.'
    : 'The private key of this peer is not kept here any more: put your copy into the file, or make new keys with Change.';
