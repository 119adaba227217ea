/** `hostplane api <operation-id>`: every operation by the id that the reference and the document use. */
import type { BuiltInCommand } from '../built-in.ts';
import { globalFlags, isOn } from '../command.ts';
import { commandOf } from '../completion/command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandHelp } from '../help.ts';
import { withIdleWait } from '../input/idle-wait.ts';
import { parse } from '../input/parse.ts';
import { findById } from '../lookup.ts';
import { globalsIn, runFromDocument } from '../run.ts';
import { openSession, printerFor } from '../session.ts';
import { shapeOf } from '../shapes/operation-shape.ts';
import { wordsIn } from '../words-in.ts';

export const api: BuiltInCommand = {
  words: ['api'],
  summary: 'Call an operation by its id; without an id, list all operations.',
  args: [
    { name: 'operation-id', description: 'Such as createVm.', isOptional: true },
    { name: 'arguments', description: 'The parameters of its path, in their order.', isOptional: true },
  ],
  flags: [],
  isBeginning: true,
  completeAs(document, [, id = '']) {
    const operation = document.find(id);
    return operation && commandOf(shapeOf(document, operation), 2);
  },
  async runLine(io, argv) {
    const [id] = wordsIn(argv).words;
    if (id !== undefined)
      return runFromDocument(io, argv, (document) => ({
        operation: findById(document, id),
        used: 1,
        before: api.words,
      }));
    const { given } = parse(argv, withIdleWait(globalFlags));
    if (isOn(given, 'help')) {
      await io.out(commandHelp(api));
      return exitCodes.done;
    }
    const session = openSession(io, globalsIn(argv));
    try {
      const { operations } = await session.documents.read();
      const rows = operations.map(({ id: operation, method, path, words, summary }) => ({
        operation,
        command: `${words.family} ${words.resource} ${words.verb}`,
        method,
        path,
        summary,
      }));
      await printerFor(io, given).table(['operation', 'command', 'summary'], ['method', 'path'], rows);
      return exitCodes.done;
    } finally {
      session.client.close();
    }
  },
};
