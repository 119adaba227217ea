/** The sentences in the source files whose refusals a model may read. */
import { sentencesIn } from '../surfaces/mcp/literals.ts';
import { shipped } from './sources.ts';

const FOLDERS =
  /^src\/(families|resources|money|pipeline|kernel|engines|provider|operations|surfaces\/mcp\/inner-call\.ts)\b/;

/** What `src/surfaces/mcp/sentences.json` has to contain. */
export function sentencesText(): string {
  const files = shipped.filter(({ path }) => FOLDERS.test(path)).map(({ text }) => text);
  return `${JSON.stringify(sentencesIn(files), undefined, 2)}\n`;
}
