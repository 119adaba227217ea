/** The nameserver that has the names of a location's addresses. The rest of the program reads `nameserverOf`. */
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import { Driver, Member } from '../../provider/driver-members.ts';
import { Path } from '../../provider/words.ts';

declare module '../../provider/catalogue.ts' {
  interface LocationPorts {
    /** `null`: the addresses of the location have no names, unless it is a sandbox. */
    reverse_dns: DnsSettings | null;
  }
}

const ADDRESS_AND_PORT = '^([0-9.]+|\\[[0-9a-fA-F:.]+\\])(:\\d{1,5})?$';

const powerdns = {
  url: Member(
    Type.String({
      pattern: '^https?://[^\\s@/?#]+/?$',
      maxLength: 255,
      examples: ['https://dns.internal:8443', 'http://10.0.0.5:8081'],
    }),
  ),
  /** A file with one line. It is read for each request, so that the key can be exchanged at any time. */
  api_key_file: Member(Path),
  /** For a server with a certificate that no public CA signed. If set, only these authorities are trusted. */
  ca_file: Member(Path),
  /** Where the server answers queries. Only `doctor` asks there. */
  nameserver: Member(
    Type.String({
      pattern: ADDRESS_AND_PORT,
      maxLength: 64,
      examples: ['10.0.0.5', '[2001:db8::53]:5353'],
    }),
  ),
  /** The resolver that is asked whether names lead back to their addresses. Default: those of this machine. */
  resolver: Member(
    Type.String({
      pattern: ADDRESS_AND_PORT,
      maxLength: 64,
      examples: ['10.0.0.53', '[2001:db8::35]:5353'],
    }),
  ),
};

export const dnsDrivers = { sandbox: {}, powerdns };

export const DnsSettings = Shape({ driver: Driver(dnsDrivers), ...powerdns });
export type DnsSettings = Static<typeof DnsSettings>;

export interface PowerDnsServer {
  readonly url: string;
  readonly apiKeyFile: string;
  readonly authorityFile: string | null;
  readonly nameserver: string | null;
  readonly resolver: string | null;
}

/** Expects a checked file, in which all required members are set. `null`: the sandbox, which has no server. */
export function nameserverOf(given: DnsSettings): PowerDnsServer | null {
  if (given.driver !== 'powerdns') return null;
  return {
    url: given.url ?? '',
    apiKeyFile: given.api_key_file ?? '',
    authorityFile: given.ca_file,
    nameserver: given.nameserver,
    resolver: given.resolver,
  };
}
