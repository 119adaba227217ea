/** Checks the `portal` section: white text on the accent colour must be readable, and the logo must be there. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';

/** The contrast that WCAG 2 demands for text. */
const LEAST_CONTRAST = 4.5;

/** Relative luminance as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrastWithWhite = (colour: string): number => 1.05 / (luminance(colour) + 0.05);

/** `folder`: where relative paths of the section begin. */
export function checkPortal(draft: Draft, folder: string, report: Report): void {
  if (!draft.isSound('/portal')) return;
  const { accent, logo } = draft.file.portal;
  const contrast = accent === null ? LEAST_CONTRAST : contrastWithWhite(accent);
  if (contrast < LEAST_CONTRAST) {
    const detail = `White text on ${accent} has a contrast of ${contrast.toFixed(1)}, too little to read.`;
    report(
      '/portal/accent',
      detail,
      `Choose a darker colour, with a contrast of at least ${LEAST_CONTRAST}.`,
    );
  }
  if (logo === null) return;
  if (!/\.(png|svg|webp)$/i.test(logo))
    report('/portal/logo', `${logo} is not an image that browsers show.`, 'Name a PNG, SVG or WebP file.');
  else if (!existsSync(resolve(folder, logo)))
    report('/portal/logo', `${logo} does not exist.`, 'Correct the path, or leave logo out.');
}
