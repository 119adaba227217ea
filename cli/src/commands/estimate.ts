/** `hostplane estimate vm --plan …`: what something would cost, with the flags of the call that creates it. */
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { BuiltInCommand } from '../built-in.ts';
import { globalFlags, globalNames, isOn } from '../command.ts';
import { commandOf } from '../completion/command-line.ts';
import type { Document, Operation } from '../document/document.ts';
import type { Schema } from '../document/schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { misuse, type Problem } from '../failure.ts';
import { commandHelp, usageOf } from '../help.ts';
import { Refused } from '../http/client.ts';
import { buildBody } from '../input/body.ts';
import { withIdleWait } from '../input/idle-wait.ts';
import { type MemberFlag, memberFlags } from '../input/member-flags.ts';
import { checkArguments, parse } from '../input/parse.ts';
import { Names } from '../input/references.ts';
import { withShortNames } from '../input/short-names.ts';
import { UnknownCommand } from '../lookup.ts';
import { printable } from '../output/printable.ts';
import { globalsIn } from '../run.ts';
import { openSession, printerFor, type Session } from '../session.ts';
import { shapeOf } from '../shapes/operation-shape.ts';
import { wordsIn } from '../words-in.ts';
import { problemInCommandWords } from './command-words.ts';
import { sayFor } from './help-words.ts';

interface Estimate {
  readonly currency: string;
  readonly totals: { readonly hourly: string; readonly monthly: string };
  readonly items: readonly { readonly lines: readonly object[] }[];
  readonly warnings?: readonly { readonly detail: string }[];
}

/** What can be priced: everything that a call creates. */
const creatable = ({ operations }: Document): Operation[] =>
  operations.filter(({ resource, body }) => resource.role === 'create' && body !== undefined);

function creationOf(document: Document, word: string): Operation {
  const all = creatable(document);
  const found = all.find(({ words, resource }) => words.resource === word || resource.name === word);
  if (found !== undefined) return found;
  const names = all.map(({ words }) => words.resource);
  const near = nearest(word, names);
  const hint = near === null ? `It can be one of ${names.join(', ')}.` : `Did you mean ${near}?`;
  throw new UnknownCommand(`"${word}" has no price. ${hint}`);
}

/** The members of an item that the flags of the creation do not cover. */
function itemFlags(document: Document, item: Schema, taken: readonly MemberFlag[]): MemberFlag[] {
  const own = ['quantity', 'hours_per_month', 'usage'];
  return memberFlags(document.schemas, item)
    .filter(({ path: [first = ''] }) => own.includes(first))
    .filter(({ name }) => !taken.some((flag) => flag.name === name));
}

/** The request wraps what the flags say, so its faults are deeper than the flags. */
const asFlags = (problem: Problem): Problem =>
  JSON.parse(JSON.stringify(problem).replaceAll(/\/items\/0\/(?:configuration\/)?/g, '/')) as Problem;

async function run(session: Session, argv: readonly string[], word: string): Promise<number> {
  const document = await session.documents.read();
  const pricing = document.find('estimatePrice');
  if (pricing?.body === undefined) throw new UnknownCommand('This server gives no estimates.');
  const items = document.schemas.members(pricing.body)['items'];
  const item = document.schemas.plain(document.schemas.plain(items ?? {}).items ?? {});
  const creation = creationOf(document, word);
  const { body: schema = {} } = creation;
  const ofCreation = withShortNames(memberFlags(document.schemas, schema), globalNames).map((flag) => ({
    ...flag,
    isRequired: false,
  }));
  const ofItem = itemFlags(document, item, ofCreation);
  const shape = {
    ...estimate,
    words: ['estimate', word],
    args: [],
    flags: withIdleWait([...ofCreation, ...ofItem]),
  };
  const { args, given } = parse(wordsIn(argv).without(1), [...shape.flags, ...globalFlags]);
  if (isOn(given, 'help')) {
    const say = sayFor(document, creation, shape);
    await session.io.out(commandHelp(shape, say));
    return exitCodes.done;
  }
  checkArguments(args, shape.args, usageOf(shape));
  const build = (part: Schema, flags: readonly MemberFlag[]): Promise<unknown> =>
    buildBody(session.io, document.schemas, { schema: part, flags, given, unset: [] });
  const names = new Names(document, session.client);
  const configuration = await names.resolveBody(schema, await build(schema, ofCreation), {});
  const wanted = { ...((await build(item, ofItem)) as object), configuration };
  const { body } = await session.client
    .call({
      method: pricing.method,
      path: pricing.path,
      body: JSON.stringify({ items: [{ resource_type: creation.resource.name, ...wanted }] }),
    })
    .catch((error: unknown) => {
      throw error instanceof Refused
        ? new Refused(problemInCommandWords(asFlags(error.problem), document, creation))
        : error;
    });
  const printer = printerFor(session.io, given);
  if (!printer.isForPeople) await printer.value(body);
  else {
    const { items: priced, totals, currency, warnings = [] } = body as Estimate;
    const lines = priced.flatMap((each) => each.lines);
    await printer.table(
      ['description', 'quantity', 'unit', 'unit_price', 'monthly'],
      ['sku', 'hourly'],
      lines,
    );
    await session.io.out(
      `Total: ${totals.monthly} ${currency} a month (${totals.hourly} an hour), without tax.\n`,
    );
    for (const { detail } of warnings) session.io.err(`Warning: ${printable(detail)}\n`);
  }
  return exitCodes.done;
}

export const estimate: BuiltInCommand = {
  words: ['estimate'],
  summary: 'Say what something would cost, with the flags of its create command.',
  args: [{ name: 'resource', description: 'What to price, such as vm.' }],
  flags: [],
  completeAs(document, [, word]) {
    const operation = creatable(document).find(({ words }) => words.resource === word);
    if (operation === undefined) {
      const values = creatable(document).map(({ words }) => words.resource);
      const shape = { ...estimate, args: [{ name: 'resource', description: 'What to price.', values }] };
      return { shape, operation: undefined, used: 1, isGroup: false };
    }
    const shape = shapeOf(document, operation);
    return commandOf({ ...shape, flags: shape.memberFlags, pathParameters: [], args: [] }, 2);
  },
  async runLine(io, argv) {
    const [word] = wordsIn(argv).words;
    if (word === undefined) {
      if (!argv.includes('--help') && !argv.includes('-h'))
        throw misuse(
          'What should be priced? For example: hostplane estimate vm --location fra1 --plan flex-2-4',
        );
      await io.out(commandHelp(estimate));
      return exitCodes.done;
    }
    const session = openSession(io, globalsIn(argv));
    try {
      return (await run(session, argv, word)) as 0;
    } finally {
      session.client.close();
    }
  },
};
