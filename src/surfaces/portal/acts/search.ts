import { Shape, Type } from '../../../kernel/schema.ts';
import { searchOf } from '../../openapi/search.ts';
import { act } from '../act.ts';
import { FoundOperations } from '../answers.ts';

const MOST = 8;
const MOST_TOPICS = 4;

export const searchActs = [
  act({
    id: 'findOperations',
    method: 'GET',
    path: '/found-operations',
    summary: 'Find operations of the API by what somebody wants to do',
    input: Shape({ words: Type.Optional(Type.String({ maxLength: 400 })) }),
    answer: FoundOperations,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    async handle({ services }, { words = '' }) {
      const search = searchOf(services);
      const { hits, note = null } = search.ask(words);
      const near = hits.length > 0 ? [] : search.nearestTopics(words, MOST_TOPICS);
      return {
        note,
        operation_ids: hits.slice(0, MOST).map(({ id }) => id),
        near_operation_ids: near.map(({ operation }) => operation),
      };
    },
  }),
];
