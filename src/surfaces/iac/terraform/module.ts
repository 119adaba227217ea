/** The files of one Terraform module. */
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { aligned } from './hcl.ts';
import { importOutput } from './import.ts';
import { mainOf, outputsFile } from './main.ts';
import { variablesOf } from './variables.ts';

export const PROVIDER_VERSION = '0.25.2';

export const versions = `terraform {
  required_version = ">= 1.6"
  required_providers {
    restful = {
      source  = "magodo/restful"
      version = "~> ${PROVIDER_VERSION}"
    }
  }
}`;

export function moduleFiles(resource: ManagedResource, model: IacModel): Readonly<Record<string, string>> {
  const code = {
    'versions.tf': versions,
    'variables.tf': variablesOf(resource),
    'main.tf': mainOf(resource, model),
    'outputs.tf': [outputsFile(resource), importOutput(resource)].join('\n\n'),
  };
  return Object.fromEntries(Object.entries(code).map(([name, text]) => [name, `${aligned(text)}\n`]));
}

/** `provider.tf`, which every root configuration needs once. */
export const providerFile = (baseUrl: string): string => `${versions}

variable "hostplane_url" {
  description = "The address of the API."
  type        = string
  default     = "${baseUrl}"
}

# Give it only in the environment: TF_VAR_hostplane_api_key. It is in no state. A saved plan (plan -out) contains it;
# on Terraform 1.10, OpenTofu 1.11 and later, add \`ephemeral = true\` to keep it out of there, too.
variable "hostplane_api_key" {
  description = "An API key."
  type        = string
  sensitive   = true
}

provider "restful" {
  base_url = var.hostplane_url
  # Errors as people read them; a program would want JSON.
  header = { Prefer = "errors=text" }
  security = {
    apikey = [{ in = "header", name = "X-API-Key", value = var.hostplane_api_key }]
  }
  client = {
    # Waits as long as Retry-After says.
    retry = {
      status_codes = [429, 503]
      count        = 6
    }
  }
}
`;
