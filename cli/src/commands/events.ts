/** `hostplane events`: a short name for the feed of the account, with the flags that the document gives it. */
import type { BuiltInCommand } from '../built-in.ts';
import { commandOf } from '../completion/command-line.ts';
import type { Document, Operation } from '../document/document.ts';
import { UnknownCommand } from '../lookup.ts';
import { runFromDocument } from '../run.ts';
import { shapeOf } from '../shapes/operation-shape.ts';

const feedOf = ({ operations }: Document): Operation | undefined => operations.find(({ streams }) => streams);

export const events: BuiltInCommand = {
  words: ['events'],
  summary: 'Show what happened in the account; --follow goes on as it happens.',
  args: [],
  flags: [],
  completeAs(document) {
    const operation = feedOf(document);
    return operation && commandOf(shapeOf(document, operation), 1);
  },
  runLine: (io, argv) =>
    runFromDocument(io, argv, (document) => {
      const operation = feedOf(document);
      if (operation === undefined) throw new UnknownCommand('This server has no feed of events.');
      return { operation, used: 0 };
    }),
};
