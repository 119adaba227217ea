/** Checks that each limit belongs to a known family and that `maximum_on_request` is not below `limit`. */
import { nearest } from '../../kernel/did-you-mean.ts';
import { familyNames } from '../../kernel/families.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';

export function checkLimits(draft: Draft, report: Report): void {
  for (const { path, value } of draft.entries('limits')) {
    const family = value.id.slice(0, value.id.indexOf('.'));
    if (!(familyNames as readonly string[]).includes(family)) {
      const meant = nearest(family, familyNames);
      const fix = meant ? `Did you mean ${meant}?` : `Families are: ${familyNames.join(', ')}.`;
      report(`${path}/id`, `There is no family ${family}.`, fix);
    }
    const { limit, maximum_on_request: maximum, raisable } = value;
    if (maximum !== null && !raisable) {
      report(
        `${path}/maximum_on_request`,
        'A limit with raisable: false cannot have a maximum.',
        'Remove one of the two.',
      );
    } else if (maximum !== null && limit !== null && maximum < limit) {
      report(
        `${path}/maximum_on_request`,
        `It is less than the limit of ${limit}.`,
        'Raise it, or leave it out.',
      );
    }
  }
  const custom = '/catalogue/custom_plan';
  const offer = draft.isSound(custom) ? draft.file.catalogue.custom_plan : null;
  for (const [member, { min, max }] of Object.entries(offer?.limits ?? {})) {
    if (min > max) report(`${custom}/limits/${member}`, 'min is greater than max.', 'Swap the two values.');
  }
}
