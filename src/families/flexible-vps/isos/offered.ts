/** The ISOs of the provider, and where machines can use an ISO. */
import type { ComputeEngine } from '../../../engines/compute/port.ts';
import type { Services } from '../../../kernel/services.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Iso as CatalogueIso } from '../../../provider/catalogue.ts';
import type { IsoRow } from './table.ts';

type Places = Pick<Services, 'compute' | 'provider'>;

/** The engines whose machines have this architecture and a drive. */
export function takersOf(
  { compute, provider }: Places,
  architecture: IsoRow['architecture'],
): readonly ComputeEngine[] {
  const { locations } = bookOf(provider.catalogue);
  return compute.all.filter(
    ({ capabilities, location }) =>
      capabilities.isoDrive === true &&
      locations.get(location)?.architectures.includes(architecture) === true,
  );
}

export const isPublic = ({ account_id }: Pick<IsoRow, 'account_id'>): boolean => account_id === '';

/** An ISO of the provider in the form of a row, so that lists can sort it among the account's own ISOs. */
function publicRow(services: Places, { slug, name, architecture, added_on }: CatalogueIso): IsoRow {
  const since = new Date(added_on);
  return {
    id: slug,
    account_id: '',
    name,
    labels: {},
    version: 1,
    created_at: since,
    provisioned_at: since,
    updated_at: since,
    description: '',
    architecture,
    source_url: null,
    sealed_url: null,
    locations: takersOf(services, architecture).map(({ location }) => location),
    size_bytes: null,
    sha256: null,
    status: 'available',
    progress_percent: null,
    failure: null,
    failed_at: null,
  };
}

export const publicIsos = (services: Places): IsoRow[] =>
  services.provider.catalogue.isos.map((iso) => publicRow(services, iso));

/** Finds an ISO of the provider without a database query. */
export function findPublicIso(services: Places, slug: string): IsoRow | undefined {
  const listed = bookOf(services.provider.catalogue).isos.get(slug);
  return listed && publicRow(services, listed);
}
