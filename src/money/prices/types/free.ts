/** What never costs anything. It still has a line, so that nobody wonders whether it was forgotten. */
import type { FamilyName } from '../../../kernel/families.ts';
import { ONE } from '../../../kernel/micro.ts';
import { Shape } from '../../../kernel/schema.ts';
import type { Line } from '../line.ts';
import { type PricedType, pricedType } from '../type.ts';

interface FreeThing {
  readonly sku: string;
  readonly family: FamilyName;
  readonly name: string;
  readonly limit: string | null;
}

export const freeThings = {
  network: thing('flexible-vps', 'network', 'Private network', 'flexible-vps.networks'),
  firewall: thing('flexible-vps', 'firewall', 'Firewall', 'flexible-vps.firewalls'),
  backup_policy: thing('flexible-vps', 'backup-policy', 'Backup policy', 'flexible-vps.backup-policies'),
  placement_group: thing(
    'flexible-vps',
    'placement-group',
    'Placement group',
    'flexible-vps.placement-groups',
  ),
  ssh_key: thing('flexible-vps', 'ssh-key', 'SSH key', 'flexible-vps.ssh-keys'),
  webhook: thing('account', 'webhook', 'Webhook', 'account.webhooks'),
  budget: thing('account', 'budget', 'Budget', 'account.budgets'),
  ticket: thing('support', 'ticket', 'Ticket', 'support.open-tickets'),
} as const;

function thing(family: FamilyName, slug: string, name: string, limit: string): FreeThing {
  return { sku: `free.${slug}`, family, name, limit };
}

function freeLine({ sku, name }: FreeThing, pieces: number): Line {
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

function freeType(thing: FreeThing): PricedType {
  return pricedType({
    family: thing.family,
    place: null,
    configuration: Shape({}),
    ignored: 'any',
    draw(_configuration, bill) {
      bill.lines.push(freeLine(thing, bill.terms.quantity));
      if (thing.limit) bill.demand(thing.limit, 1);
    },
  });
}

export const freeTypes: Readonly<Record<string, PricedType>> = Object.fromEntries(
  Object.entries(freeThings).map(([type, thing]) => [type, freeType(thing)]),
);
