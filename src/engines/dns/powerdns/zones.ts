/**
 * The reverse zones of the server. The list is kept for a minute, and read again at once if a record fits into no zone
 * or a zone has gone: zones seldom change, and a server may have many that are not ours.
 */
import { parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, cidrContains, cidrCovers } from '../../../kernel/net/cidr.ts';
import { rangeOfZone } from '../reverse-name.ts';
import type { PowerDnsClient } from './client.ts';

export interface Zone {
  /** What paths name it by: its name, with `=2F` and the like in place of special characters. */
  readonly id: string;
  readonly name: string;
  readonly range: Cidr;
  /** `Native`, `Master`, `Slave` and others. Nobody can write into a copy of another server's zone. */
  readonly kind: string;
}

interface ListedZone {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

const KEPT_MS = 60_000;
/** Requests for addresses without a zone do not make the list be read more often. */
const AGAIN_MS = 5_000;

export class Zones {
  readonly #client: PowerDnsClient;
  #known: { readonly zones: readonly Zone[]; readonly readAt: number } | null = null;

  constructor(client: PowerDnsClient) {
    this.#client = client;
  }

  /** The zone that has the address; null if there is none. */
  async holding(address: string, signal: AbortSignal | undefined): Promise<Zone | null> {
    const kept = smallest(await this.#read(KEPT_MS, signal), address);
    return kept ?? smallest(await this.#read(AGAIN_MS, signal), address);
  }

  /** All zones that have addresses of the range. */
  async within(range: Cidr, signal: AbortSignal | undefined): Promise<readonly Zone[]> {
    const zones = await this.#read(KEPT_MS, signal);
    return zones.filter((zone) => cidrCovers(range, zone.range) || cidrCovers(zone.range, range));
  }

  /** For a zone that the server does not know any more. */
  forget(): void {
    this.#known = null;
  }

  async #read(maximumAgeMs: number, signal: AbortSignal | undefined): Promise<readonly Zone[]> {
    const now = performance.now();
    if (this.#known !== null && now - this.#known.readAt < maximumAgeMs) return this.#known.zones;
    // Without `dnssec=false` the server computes the state of each zone, which takes long.
    const listed = (await this.#client.send('GET', '/zones?dnssec=false', undefined, signal)) as ListedZone[];
    const zones = listed.flatMap(({ id, name, kind }) => {
      const range = rangeOfZone(name);
      return range === null ? [] : [{ id, name, kind, range }];
    });
    this.#known = { zones, readAt: now };
    return zones;
  }
}

/** The zone from which the server answers for the address. */
export function smallest(zones: readonly Zone[], text: string): Zone | null {
  const address = parseAddress(text);
  if (address === null) return null;
  return zones
    .filter(({ range }) => cidrContains(range, address))
    .reduce<Zone | null>(
      (best, zone) => (best && best.range.prefix >= zone.range.prefix ? best : zone),
      null,
    );
}
