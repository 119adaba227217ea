/** Calculates how much the deletion of an image saves. */
import type { Cost } from '../../../kernel/effect.ts';
import type { Services } from '../../../kernel/services.ts';
import { price } from '../../../money/prices/price.ts';
import { costOf } from '../../../resources/inventory/cost.ts';
import { configurationOf } from './resource.ts';
import type { ImageRow } from './table.ts';

export function costOfRemoving(
  services: Pick<Services, 'provider' | 'tariff'>,
  row: ImageRow,
  at: Date,
): Cost {
  const priced =
    row.status === 'available' ? price(services.tariff, 'image', configurationOf(row), { at }) : null;
  return costOf(services, null, priced?.ok ? priced.item : null, row.labels);
}
