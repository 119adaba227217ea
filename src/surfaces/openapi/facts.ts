/** The facts about the provider that the OpenAPI document contains. */
import type { ProviderConfig } from '../../provider/schema.ts';

export interface ProviderFacts {
  readonly providerName: string;
  readonly supportEmail?: string;
  /** The page with the terms of the service, if the provider names one. */
  readonly termsUrl?: string | null;
  /** The currency of the cost examples. */
  readonly currency?: string;
  /** The source addresses of webhook deliveries. */
  readonly egressAddresses?: readonly string[];
}

export function factsOf({ provider, egress, portal }: ProviderConfig): ProviderFacts {
  return {
    providerName: provider.name,
    supportEmail: provider.support_email,
    termsUrl: portal.terms_url,
    currency: provider.currency,
    egressAddresses: egress.addresses,
  };
}
