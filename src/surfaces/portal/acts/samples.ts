import { Problem } from '../../../kernel/problems/problem.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { entriesOf } from '../../openapi/resolved.ts';
import { act } from '../act.ts';
import { samplesOf } from '../reference/samples/samples.ts';
import { sampleSourcesOf } from '../reference/samples/sources.ts';
import { Text, whole } from '../shapes.ts';

const Values = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 1000 }));

export const sampleActs = [
  act({
    id: 'writeSamples',
    method: 'POST',
    path: '/samples',
    summary: 'Write a filled-in call as a command and in programs',
    input: Shape({
      operation_id: Type.String({ maxLength: 64 }),
      path: Values,
      query: Values,
      body: Type.Optional(Type.Unknown()),
      shown: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    answer: Shape({
      data: Type.Array(Shape({ language: Text, code: Text, text: Text })),
      next_cursor: Type.Null(),
    }),
    changesNothing: true,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    async handle({ services, context }, { operation_id: id, path, query, body, shown }) {
      const sources = sampleSourcesOf(services, services.provider.server.base_url ?? context.origin);
      const entry = entriesOf(sources.resolver.document).find((each) => each.id === id);
      if (entry === undefined) throw new Problem('not_found', { detail: 'The API has no such operation.' });
      const samples = samplesOf(entry, sources, { path, query, body, shown });
      return whole(samples.map(({ language, code, text }) => ({ language, code, text })));
    },
  }),
];
