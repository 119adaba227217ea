/** The methods of endpoints, as answers about them name them. */
import { Named, OneOf } from '../../kernel/schema.ts';

export const Method = Named(
  'Method',
  OneOf(
    {
      GET: 'Reads and changes nothing.',
      POST: 'Creates something or starts an action.',
      PUT: 'Creates or replaces what the path names.',
      PATCH: 'Changes the members that are sent.',
      DELETE: 'Deletes or revokes what the path names.',
    },
    { description: 'The HTTP method of the call.' },
  ),
);
