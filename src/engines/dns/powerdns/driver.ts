/** Writes PTR records through the HTTP API of PowerDNS (4.7 and newer). Zones are found, never created. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, cidrContains, parseCidr } from '../../../kernel/net/cidr.ts';
import type { TransferLimits } from '../../../kernel/net/transfer.ts';
import { EngineRefused } from '../../errors.ts';
import { nameserverAway, noZone, recordRefused } from '../errors.ts';
import { lookUp } from '../look-up.ts';
import type { PtrRecord, ReverseDns, SeenPtr } from '../port.ts';
import { addressOfName, reverseNameOf } from '../reverse-name.ts';
import type { PowerDnsServer } from '../settings.ts';
import { PowerDnsClient, PowerDnsError } from './client.ts';
import { smallest, type Zone, Zones } from './zones.ts';

interface PowerDnsOptions extends PowerDnsServer {
  readonly location: string;
  readonly limits?: TransferLimits;
}

interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly records: readonly { readonly content: string; readonly disabled: boolean }[];
}

const NOT_FOUND = 404;
/** What the server answers to a record that it does not accept: 400 before version 4.8, 422 later, in some cases 409. */
const REFUSALS: readonly number[] = [400, 409, 422];

const pathOf = ({ id }: Zone): string => `/zones/${encodeURIComponent(id)}`;

function seenIn(sets: readonly RecordSet[]): SeenPtr[] {
  return sets.flatMap(({ name, type, ttl, records }) => {
    const address = type === 'PTR' ? addressOfName(name) : null;
    const hostnames = records.filter(({ disabled }) => !disabled).map(({ content }) => shown(content));
    return address === null || hostnames.length === 0 ? [] : [{ address, hostnames, ttlSeconds: ttl }];
  });
}

/** What the server answers for an address comes from the smallest zone that has it, whatever is in the zones above. */
function isOf(zone: Zone, zones: readonly Zone[], range: Cidr, text: string): boolean {
  const address = parseAddress(text);
  return address !== null && cidrContains(range, address) && smallest(zones, text) === zone;
}

const shown = (content: string): string => content.toLowerCase().replace(/\.$/, '');

export class PowerDns implements ReverseDns {
  readonly driver = 'powerdns';
  readonly location: string;
  readonly capabilities = {};
  readonly #client: PowerDnsClient;
  readonly #zones: Zones;
  readonly #resolver: string | null;

  constructor({ location, limits, ...server }: PowerDnsOptions) {
    this.location = location;
    this.#resolver = server.resolver;
    this.#client = new PowerDnsClient(server, limits);
    this.#zones = new Zones(this.#client);
  }

  async ensurePtr(address: string, { hostname, ttlSeconds }: PtrRecord, signal?: AbortSignal): Promise<void> {
    const records = [{ content: `${hostname}.`, disabled: false }];
    await this.#change(address, { changetype: 'REPLACE', ttl: ttlSeconds, records }, signal);
  }

  async removePtr(address: string, signal?: AbortSignal): Promise<void> {
    await this.#change(address, { changetype: 'DELETE' }, signal);
  }

  async observePtr(address: string, signal?: AbortSignal): Promise<SeenPtr | null> {
    const filter = `?rrset_name=${reverseNameOf(address)}&rrset_type=PTR`;
    return this.#guarded(signal, async () => {
      const zone = await this.#zones.holding(address, signal);
      const sets = zone === null ? [] : await this.#read(zone, filter, signal);
      return seenIn(sets).find((seen) => seen.address === address) ?? null;
    });
  }

  async observePtrs(range: string, signal?: AbortSignal): Promise<readonly SeenPtr[]> {
    const asked = parseCidr(range)?.cidr;
    if (asked === undefined) throw new Error(`${range} is not a range.`);
    return this.#guarded(signal, async () => {
      const found: SeenPtr[] = [];
      const zones = await this.#zones.within(asked, signal);
      for (const zone of zones) {
        const seen = seenIn(await this.#read(zone, '', signal));
        found.push(...seen.filter(({ address }) => isOf(zone, zones, asked, address)));
      }
      return found;
    });
  }

  async lookUp(hostname: string, signal?: AbortSignal): Promise<readonly string[]> {
    return lookUp(hostname, this.#resolver, signal);
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #read(zone: Zone, filter: string, signal: AbortSignal | undefined): Promise<readonly RecordSet[]> {
    const answer = await this.#client.send('GET', `${pathOf(zone)}${filter}`, undefined, signal);
    return (answer as { rrsets: readonly RecordSet[] }).rrsets;
  }

  async #change(address: string, change: object, signal: AbortSignal | undefined): Promise<void> {
    const rrsets = [{ name: reverseNameOf(address), type: 'PTR', ...change }];
    await this.#guarded(signal, async () => {
      const zone = await this.#zones.holding(address, signal);
      if (zone === null) throw noZone(address);
      try {
        await this.#client.send('PATCH', pathOf(zone), { rrsets }, signal);
      } catch (error) {
        if (error instanceof PowerDnsError && REFUSALS.includes(error.status))
          throw recordRefused(address, error);
        throw error;
      }
    });
  }

  /** Does the work again, with a new list of zones, if a zone has gone. */
  async #guarded<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work().catch((error: unknown) => {
        if (!(error instanceof PowerDnsError) || error.status !== NOT_FOUND) throw error;
        this.#zones.forget();
        return work();
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof EngineRefused ? error : nameserverAway(error);
    }
  }
}
