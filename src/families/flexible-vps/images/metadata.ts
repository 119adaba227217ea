/** What a container image says of itself. Its templates are files that the engine writes into each machine, as itself. */
import { parse } from 'yaml';
import { ImportFailed } from './failure.ts';

const unsupported = (detail: string) =>
  new ImportFailed('unsupported_format', `Its metadata.yaml ${detail}.`);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function read(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw unsupported('is no YAML');
  }
}

/** Refuses what would have the engine read or write beside the machine. */
export function checkMetadata(text: string): void {
  const metadata = read(text);
  if (!isMap(metadata) || typeof metadata.architecture !== 'string')
    throw unsupported('names no architecture');
  const { templates = null } = metadata;
  if (templates === null) return;
  if (!isMap(templates)) throw unsupported('has templates that are none');
  for (const [path, value] of Object.entries(templates)) {
    if (!isMap(value) || typeof value.template !== 'string') throw unsupported('has templates that are none');
    const leadsOut = path.split('/').includes('..') || !/^[\w-][\w.-]*$/.test(value.template);
    if (leadsOut) throw unsupported('has a template that leads out of the archive');
  }
}
