/** What the document says of the provider whose API it describes. */
import type { ProviderConfig } from '../../provider/schema.ts';

export interface ProviderFacts {
  readonly providerName: string;
  /** Whom to ask. */
  readonly supportEmail?: string;
  /** In which the examples of cost are given. */
  readonly currency?: string;
  /** Where webhooks come from. */
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
