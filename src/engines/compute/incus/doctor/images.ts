/** Checks whether every image on sale exists under its slug, with the right type and architecture. */
import type { Examination } from '../../../../kernel/registry.ts';
import { isMissing } from '../failure.ts';
import { architectureOf, cliOf, fine, type Place, type Sold, wrong } from './context.ts';

type Image = Sold['images'][number];

interface RawImage {
  readonly type: string;
  readonly architecture: string;
}

async function findImage({ client }: Place, { slug }: Image): Promise<RawImage | null> {
  try {
    const path = `/1.0/images/aliases/${encodeURIComponent(slug)}`;
    const { target } = await client.ask<{ target: string }>('GET', path);
    return await client.ask<RawImage>('GET', `/1.0/images/${target}`);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The command that copies the image from the public server that both engines know. */
function copyOf({ server, settings }: Place, { slug, distribution, version, architecture }: Image): string {
  const kind = settings.instanceType === 'container' ? '' : ' --vm';
  const remote = `images:${distribution}/${version}/cloud/${architecture}`;
  return `${cliOf(server)} image copy ${remote} local: --alias ${slug}${kind}`;
}

export async function examineImages(place: Place): Promise<Examination> {
  const { sold, settings } = place;
  const missing: Image[] = [];
  const others: { readonly image: Image; readonly is: string }[] = [];
  const here = sold.images.filter(({ architecture }) => sold.architectures.includes(architecture));
  for (const image of here) {
    const raw = await findImage(place, image);
    if (raw === null) missing.push(image);
    else if (raw.type !== settings.instanceType) others.push({ image, is: `for ${raw.type}s` });
    else if (architectureOf(raw.architecture) !== image.architecture)
      others.push({ image, is: architectureOf(raw.architecture) });
  }
  const first = missing[0] ?? others[0]?.image;
  if (first === undefined) return fine(sold, 'images', `all ${here.length} on sale are there`);
  const told = [
    ...(missing.length > 0 ? [`not there: ${missing.map(({ slug }) => slug).join(', ')}`] : []),
    ...others.map(({ image, is }) => `${image.slug} is ${is}`),
  ];
  const fix = `Import each image under its slug: ${copyOf(place, first)}; or remove it from catalogue.images.`;
  return wrong(sold, 'images', `${told.join('; ')}.`, fix);
}
