import { expect, it } from 'vitest';
import { Lifecycle } from './lifecycle.ts';

const life = (noun?: string) =>
  new Lifecycle<'open' | 'shut' | 'lost'>({
    resource: 'test_box',
    ...(noun === undefined ? {} : { noun }),
    table: 'boxes',
    states: { open: 'It can be filled.', shut: 'It cannot be filled.', lost: 'Nobody knows where it is.' },
    transitional: [],
    transitions: [],
    needs: { fillBox: ['open', 'shut'] },
  });

it('409: the problem says in words in which states the call is possible', () => {
  expect(() => life().require('fillBox', 'lost')).toThrow(
    'The test box is lost. This call is possible only while it is open or shut.',
  );
  expect(() => life('chest').require('fillBox', 'lost')).toThrow('The chest is lost.');
});
