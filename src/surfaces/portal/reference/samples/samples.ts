/** The same call in several languages. The key comes from the environment and stands in no sample. */
import type { IacModel } from '../../../iac/model.ts';
import { type Given, moduleOfExisting, moduleUsage } from '../../../iac/terraform/usage.ts';
import type { Entry, Resolver } from '../../../openapi/resolved.ts';
import { callOf, type Filled, KEY } from './call.ts';
import { commandLine } from './command-line.ts';
import { curl, go, python, typescript } from './programs.ts';

export interface Sample {
  readonly language: string;
  /** Its name in Markdown. */
  readonly code: string;
  readonly text: string;
  /** What begins a comment. */
  readonly comment: string;
  /** The variable from which the key comes. */
  readonly keyVariable: string;
}

/** What the samples of all operations need. */
export interface SampleSources {
  readonly resolver: Resolver;
  readonly commands: ReadonlyMap<string, readonly string[]>;
  readonly iac: IacModel;
  /** The address of the API. */
  readonly base: string;
}

function givenIn(entry: Entry, { path, body }: Filled): Given {
  const { parent, parameter } = entry.operation['x-resource'];
  const own = parameter === undefined ? {} : { [parameter]: path[parameter] };
  return {
    values: { ...own, ...(body as Readonly<Record<string, unknown>> | undefined) },
    parent: parent && path[parent.parameter],
  };
}

/** The module that makes a resource by this call, or that takes over the one that the call reads. */
function terraformFor(entry: Entry, iac: IacModel, filled: Filled | undefined): string | undefined {
  const made = iac.resources.find(({ create }) => create.id === entry.id);
  if (made !== undefined) return moduleUsage(made, iac, filled && givenIn(entry, filled));
  const read = iac.resources.find((each) => each.read.id === entry.id && each.read.in === undefined);
  if (read === undefined || filled?.shown === undefined) return undefined;
  const parent = read.parent && filled.path[read.parent.parameter];
  return moduleOfExisting(read, iac, { shown: filled.shown, parent });
}

/** With the values that somebody has filled in, or with those of the examples. */
export function samplesOf(entry: Entry, sources: SampleSources, filled?: Filled): Sample[] {
  const { resolver, commands, iac } = sources;
  const call = callOf(entry, sources, filled);
  const sample = (language: string, code: string, text: string, more: Partial<Sample> = {}): Sample => ({
    language,
    code,
    text,
    comment: '#',
    keyVariable: KEY,
    ...more,
  });
  const terraform = terraformFor(entry, iac, filled);
  return [
    sample('curl', 'sh', curl(call)),
    sample('CLI', 'sh', commandLine(entry, call, commands.get(entry.id) ?? ['api', entry.id], resolver)),
    sample('TypeScript', 'typescript', typescript(call), { comment: '//' }),
    sample('Python', 'python', python(call)),
    sample('Go', 'go', go(call), { comment: '//' }),
    ...(terraform === undefined
      ? []
      : [sample('Terraform', 'hcl', terraform, { keyVariable: 'TF_VAR_hostplane_api_key' })]),
  ];
}
