/** Checks whether every ISO that the provider offers exists under its slug, if machines here have a drive. */
import type { Examination } from '../../../../kernel/registry.ts';
import { capabilitiesOf } from '../capabilities.ts';
import { askOrNull } from '../driver-context.ts';
import { DEFAULT } from '../names.ts';
import { type RawVolume, volumesPath } from '../raw-volume.ts';
import { cliOf, fine, type Place, wrong } from './context.ts';

async function isThere({ client, settings }: Place, slug: string): Promise<boolean> {
  const path = `${volumesPath({ settings })}/${encodeURIComponent(slug)}`;
  const raw = await askOrNull(() => client.ask<RawVolume>('GET', path, { project: DEFAULT }));
  return raw?.content_type === 'iso';
}

export async function examineIsos(place: Place): Promise<Examination | null> {
  const { sold, settings, server } = place;
  const here = sold.isos.filter(({ architecture }) => sold.architectures.includes(architecture));
  if (here.length === 0 || capabilitiesOf(settings, server).isoDrive !== true) return null;
  const missing: string[] = [];
  for (const { slug } of here) if (!(await isThere(place, slug))) missing.push(slug);
  if (missing.length === 0) return fine(sold, 'ISOs', `all ${here.length} on offer are there`);
  const command = `${cliOf(server)} storage volume import ${settings.storagePool} FILE ${missing[0]} --type=iso`;
  const fix = `Import each ISO under its slug: ${command}; or remove it from catalogue.isos.`;
  return wrong(sold, 'ISOs', `not there: ${missing.join(', ')}.`, fix);
}
