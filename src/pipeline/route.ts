import { nearest } from '../kernel/did-you-mean.ts';
import type { Stage } from '../kernel/exchange.ts';
import { problems } from '../kernel/problems/catalogue.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';

/** Longer paths are no typing error, and comparing them would take long. */
const LONGEST_PATH = 200;

const wordsOf = (path: string): string[] =>
  path.split('/').filter((part) => part !== '' && !/^v\d+$/.test(part));

/** The words of `known` that differ from those in the same place of `sent`. A parameter takes any word. */
const differences = (known: readonly string[], sent: readonly string[]): number[] =>
  known.flatMap((word, i) => (word === sent[i] || word.startsWith('{') ? [] : [i]));

/** The path that was probably meant: without the version or the family, or with a typing error in one word. */
function meantPath(path: string, endpoints: readonly Endpoint[]): string | undefined {
  const sent = path.length > LONGEST_PATH ? [] : wordsOf(path);
  if (sent.length === 0) return undefined;
  const known = endpoints.map((each) => ({ path: each.path, words: wordsOf(each.path) }));
  const whole = known.find(({ words }) =>
    [words, words.slice(1)].some(
      (part) => part.length === sent.length && differences(part, sent).length === 0,
    ),
  );
  if (whole !== undefined) return whole.path;
  const alike = known.flatMap(({ path: of, words }) => {
    const [at, ...others] = differences(words, sent);
    const isClose = words.length === sent.length && at !== undefined && others.length === 0;
    return isClose && nearest(sent[at] ?? '', [words[at] ?? '']) !== null ? [of] : [];
  });
  return alike[0];
}

export const route: Stage = ({ endpoint, allowedMethods, incoming }, { registry }) => {
  if (endpoint !== undefined) return undefined;
  if (allowedMethods !== undefined) {
    return new Problem('method_not_allowed', {
      detail: `${incoming.method} is not offered here; ${allowedMethods} ${allowedMethods.includes(',') ? 'are' : 'is'}.`,
      headers: { allow: allowedMethods },
    });
  }
  const meant = meantPath(incoming.path, registry.endpoints);
  return meant === undefined
    ? new Problem('endpoint_not_found')
    : new Problem('endpoint_not_found', {
        detail: `${problems.endpoint_not_found.when} Did you mean ${meant}?`,
      });
};
