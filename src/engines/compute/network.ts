export interface Route {
  readonly destination: string;
  readonly nextHop: string;
}

export interface NetworkSpec {
  readonly ipv4Cidr: string;
  readonly ipv4Gateway: string;
  readonly ipv6Cidr: string | null;
  readonly nat: { readonly ipv4: boolean; readonly ipv6: boolean };
  readonly dns: { readonly servers: readonly string[]; readonly domain: string | null };
  readonly mtu: number;
  readonly routes: readonly Route[];
}

export interface Network extends NetworkSpec {
  readonly account: string;
  readonly id: string;
  readonly usedBy: readonly { readonly instance: string; readonly nic: string }[];
}
