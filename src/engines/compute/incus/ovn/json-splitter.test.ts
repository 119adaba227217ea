import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonSplitter } from './json-splitter.ts';

it('finds every JSON object, wherever the stream is split', () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
  const cuts = fc.array(fc.nat(200), { maxLength: 8 });
  fc.assert(
    fc.property(objects, cuts, (all, places) => {
      const text = all.map((one) => JSON.stringify(one)).join('');
      const ends = [
        0,
        ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b),
        text.length,
      ];
      const splitter = new JsonSplitter();
      const found = ends.slice(1).flatMap((end, i) => splitter.add(text.slice(ends[i], end)));
      expect(found.map((one) => JSON.parse(one))).toEqual(JSON.parse(JSON.stringify(all)));
    }),
  );
});
