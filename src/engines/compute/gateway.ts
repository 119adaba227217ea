/**
 * The types of VPN gateways: small machines that the engine manages by itself, with WireGuard inside. Customers never
 * see them as machines.
 */
import type { RangeVerdict } from '../../kernel/net/callable-ranges.ts';
import type { Nic, Ref } from './instance.ts';

export interface GatewaySpec {
  /** The public interface comes first. */
  readonly nics: readonly Nic[];
  /** The lengths of the IPv4 prefixes of the private networks, by the id of the interface. */
  readonly prefixLengths: Readonly<Record<string, number>>;
  /** The UDP port of the tunnel. */
  readonly port: number;
  /** In base64, as WireGuard writes keys. */
  readonly privateKey: string;
  /** The gateway's own addresses in the tunnel, with the prefix lengths of the pools. */
  readonly addresses: readonly string[];
  /** The largest packet in the tunnel. */
  readonly mtu: number;
  /** Where the gateway may call peers. It resolves the names of their endpoints itself, so it checks the addresses. */
  readonly callable: readonly RangeVerdict[];
}

export interface GatewayPeer {
  readonly publicKey: string;
  readonly presharedKey: string | null;
  /** The addresses and prefixes of the peer, which are routed to it. */
  readonly allowedIps: readonly string[];
  /** Where the gateway calls the peer; `null` if the peer always calls first. */
  readonly endpoint: string | null;
  readonly keepaliveSeconds: number;
}

export interface ObservedPeer {
  readonly publicKey: string;
  readonly allowedIps: readonly string[];
  readonly lastHandshakeAt: Date | null;
  /** Bytes since the tunnel began; they start again at zero when the gateway restarts. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export interface Gateway extends Ref {
  readonly nics: readonly Nic[];
  /** `null` while the gateway does not run, or has no tunnel yet. */
  readonly tunnel: {
    readonly port: number;
    readonly publicKey: string;
    readonly peers: readonly ObservedPeer[];
  } | null;
}
