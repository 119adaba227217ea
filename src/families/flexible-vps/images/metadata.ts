/** Checks the metadata.yaml of a container image. The engine writes its templates into machines as itself. */
import { parse } from 'yaml';
import { ImportFailed } from '../imports/failure.ts';

const unsupported = (detail: string) =>
  new ImportFailed('unsupported_format', `Its metadata.yaml ${detail}.`);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function read(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw unsupported('is not valid YAML');
  }
}

/** Refuses templates that would let the engine read or write files outside the machine. */
export function checkMetadata(text: string): void {
  const metadata = read(text);
  if (!isMap(metadata) || typeof metadata.architecture !== 'string')
    throw unsupported('names no architecture');
  const { templates = null } = metadata;
  if (templates === null) return;
  if (!isMap(templates)) throw unsupported('has invalid templates');
  for (const [path, value] of Object.entries(templates)) {
    if (!isMap(value) || typeof value.template !== 'string') throw unsupported('has invalid templates');
    const leadsOut = path.split('/').includes('..') || !/^[\w-][\w.-]*$/.test(value.template);
    if (leadsOut) throw unsupported('has a template that leads out of the archive');
  }
}
