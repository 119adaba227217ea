/**
 * A resource type that never costs anything. Its estimate still has a line and the price list a row, so that a reader
 * sees that the type is free and was not forgotten.
 */
import type { FamilyName } from '../../kernel/families.ts';
import { ONE } from '../../kernel/micro.ts';
import { Shape } from '../../kernel/schema.ts';
import type { Line } from './line.ts';
import { type PricedType, pricedType } from './priced-type.ts';

interface FreeType {
  readonly family: FamilyName;
  readonly sku: string;
  readonly name: string;
  /** The limit that counts resources of this type. */
  readonly limit: string;
}

export function freeType({ family, sku, name, limit }: FreeType): PricedType {
  return pricedType({
    family,
    place: null,
    configuration: Shape({}),
    ignored: 'any',
    free: { sku, name },
    sales: () => [],
    draw(_configuration, bill) {
      bill.lines.push(freeLine(sku, name, bill.terms.quantity));
      bill.demand(limit, 1);
    },
  });
}

function freeLine(sku: string, name: string, pieces: number): Line {
  return {
    sku,
    description: `${name}, free`,
    kind: 'monthly',
    unit: 'item',
    quantity: BigInt(pieces) * ONE,
    unitPrice: 0n,
    unitCap: null,
    included: null,
    billable: null,
    hourly: 0n,
    monthly: 0n,
    setup: 0n,
  };
}
