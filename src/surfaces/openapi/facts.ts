/** The facts about the provider that the OpenAPI document contains. */
import type { ProviderConfig } from '../../provider/schema.ts';

export interface ProviderFacts {
  readonly providerName: string;
  readonly supportEmail?: string;
  /** The currency of the cost examples. */
  readonly currency?: string;
  /** The source addresses of webhook deliveries. */
  readonly egressAddresses?: readonly string[];
}

export function factsOf({ provider, egress }: ProviderConfig): ProviderFacts {
  return {
    providerName: provider.name,
    supportEmail: provider.support_email,
    currency: provider.currency,
    egressAddresses: egress.addresses,
  };
}
