/** The demo provider file with machines that boot at once. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const FILE = fileURLToPath(new URL('../../hostplane.default.yaml', import.meta.url));

export function atOnce(): string {
  const { provider, catalogue } = parse(readFileSync(FILE, 'utf8')) as {
    provider: object;
    catalogue: { locations: object[] };
  };
  const locations = catalogue.locations.map((location) => ({
    ...location,
    compute: { driver: 'sandbox', pace: 0 },
  }));
  return JSON.stringify({ provider, catalogue: { ...catalogue, locations } });
}
