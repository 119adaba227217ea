/** Whether every image on sale is there under its slug, and is of the kind that is run here. */
import type { Examination } from '../../../../kernel/registry.ts';
import { isMissing } from '../failure.ts';
import { architectureOf, cliOf, fine, type Place, type Sold, wrong } from './place.ts';

type Image = Sold['images'][number];

interface RawImage {
  readonly type: string;
  readonly architecture: string;
}

/** What is wrong with it; `null`: nothing. */
async function findFault({ client, settings }: Place, { slug, architecture }: Image): Promise<string | null> {
  try {
    const path = `/1.0/images/aliases/${encodeURIComponent(slug)}`;
    const { target } = await client.ask<{ target: string }>('GET', path);
    const raw = await client.ask<RawImage>('GET', `/1.0/images/${target}`);
    if (raw.type !== settings.instanceType) return `${slug} is of a ${raw.type}`;
    const is = architectureOf(raw.architecture);
    return is === architecture ? null : `${slug} is ${is}`;
  } catch (error) {
    if (isMissing(error)) return `${slug} is not there`;
    throw error;
  }
}

export async function examineImages(place: Place): Promise<Examination> {
  const { sold, settings, server } = place;
  const name = 'images';
  const here = sold.images.filter(({ architecture }) => sold.architectures.includes(architecture));
  const faults: { readonly image: Image; readonly fault: string }[] = [];
  for (const image of here) {
    const fault = await findFault(place, image);
    if (fault !== null) faults.push({ image, fault });
  }
  const [first] = faults;
  if (first === undefined) return fine(sold, name, `all ${here.length} on sale are there`);
  const { slug, distribution, version, architecture } = first.image;
  const kind = settings.instanceType === 'container' ? '' : ' --vm';
  const remote = `images:${distribution}/${version}/cloud/${architecture}`;
  const copy = `${cliOf(server)} image copy ${remote} local: --alias ${slug}${kind}`;
  const fix = `For each: ${copy} (or from a file: image import … --alias ${slug}); or take it out of catalogue.images.`;
  return wrong(sold, name, `${faults.map(({ fault }) => fault).join(', ')}.`, fix);
}
