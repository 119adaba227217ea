import type { Services } from '../../../../kernel/services.ts';
import { iacModel } from '../../../iac/model.ts';
import type { OpenApiDocument } from '../../../openapi/model.ts';
import { publicationOf } from '../../../openapi/publication.ts';
import { Resolver } from '../../../openapi/resolved.ts';
import { commandWords } from './command-line.ts';
import type { SampleSources } from './samples.ts';

const known = new WeakMap<OpenApiDocument, SampleSources>();

/** Made at the first request for a page: building the document takes a third of a second, which no start should take. */
export function sampleSourcesOf(services: Services): SampleSources {
  const document = publicationOf(services).document();
  const found = known.get(document);
  if (found !== undefined) return found;
  const resolver = new Resolver(document);
  const made = { resolver, commands: commandWords(resolver), iac: iacModel(document) };
  known.set(document, made);
  return made;
}
