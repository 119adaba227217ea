import type { VpnPeer } from '../../../../../src/families/flexible-vps/vpn-peers/schema.ts';
import { formatBytes } from '../../../data/sizes.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Ago, useNow } from '../../../ui/time.tsx';

/** A device that is there shakes hands every two minutes, and the gateway is read once a minute. In milliseconds. */
const FRESH = 3 * 60_000;

/** Whether the device is there, above its facts. */
export default function Connection({ found: { row } }: { found: Found }) {
  const { enabled, last_handshake_at: last, rx_bytes, tx_bytes } = row as unknown as VpnPeer;
  const now = useNow();
  const isThere = enabled && last !== null && now - Date.parse(last) < FRESH;
  const state = !enabled ? 'Switched off' : isThere ? 'Connected' : 'Not connected';
  return (
    <div className="card mb-6 flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 md:px-5">
      <Badge tone={isThere ? 'good' : 'plain'}>{state}</Badge>
      {last === null ? (
        <span className="text-muted">No handshake yet: no device has used the configuration.</span>
      ) : (
        <>
          <span>
            Last handshake <Ago time={last} />
          </span>
          <span className="text-muted">
            {formatBytes(rx_bytes)} from the device, {formatBytes(tx_bytes)} to it
          </span>
        </>
      )}
    </div>
  );
}
