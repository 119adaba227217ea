import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';
import { checkRange } from './server.ts';

export function checkEgress(draft: Draft, report: Report): void {
  for (const member of ['allow', 'deny', 'addresses'] as const) {
    if (!draft.isSound(`/egress/${member}`)) continue;
    draft.file.egress[member].forEach((text, index) => {
      checkRange(text, `/egress/${member}/${index}`, report);
    });
  }
}
