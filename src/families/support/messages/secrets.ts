/** Finds secrets in the text of a message, as it was sent and as it is stored. */
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { secretsIn } from '../attachments/check.ts';
import { plainMarkdown } from './markdown.ts';

/** Removing HTML can join the halves of a secret. The place of such a one is not a place of the text that was sent. */
export function secretsInMessage(text: string): Pick<FieldError, 'code' | 'detail' | 'offset' | 'length'>[] {
  const found = secretsIn(text);
  if (found.length > 0) return found;
  return secretsIn(plainMarkdown(text)).map(({ code, detail }) => ({
    code,
    detail: `Without its HTML, the text contains a secret. ${detail}`,
  }));
}
