import type { Services } from '../../../../kernel/services.ts';
import { iacModel } from '../../../iac/model.ts';
import type { OpenApiDocument } from '../../../openapi/model.ts';
import { publicationOf } from '../../../openapi/publication.ts';
import { Resolver } from '../../../openapi/resolved.ts';
import { commandWords } from './command-line.ts';
import type { SampleSources } from './samples.ts';

const known = new WeakMap<OpenApiDocument, Omit<SampleSources, 'base'>>();

/** Made at the first request for a page: building the document takes a third of a second, which no start should take. */
function sourcesIn(document: OpenApiDocument): Omit<SampleSources, 'base'> {
  const found = known.get(document);
  if (found !== undefined) return found;
  const resolver = new Resolver(document);
  const made = { resolver, commands: commandWords(resolver), iac: iacModel(document) };
  known.set(document, made);
  return made;
}

/** `base` is the address of the API for whoever reads the samples. */
export function sampleSourcesOf(services: Services, base: string): SampleSources {
  const sources = sourcesIn(publicationOf(services).document());
  return { ...sources, base, iac: { ...sources.iac, baseUrl: base } };
}
