import { EngineRefused } from '../../../engines/compute/port.ts';
import { ask, requireCapability } from '../../../engines/engine-call.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { byOthers, Named, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { refOf } from '../vms/guest.ts';
import { machineRefusals } from '../vms/refusal-problems.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { findVm } from '../vms/store.ts';

const KEPT_BYTES = 256 * 1024;
const LINES = 500;
const MOST_LINES = 5000;

const ConsoleLog = Named(
  'ConsoleLog',
  Shape({
    lines: Type.Array(Type.String(), {
      ...byOthers,
      description: 'The last lines of the console; the oldest is first.',
    }),
    truncated: Type.Boolean({ description: 'Whether earlier lines were left out.' }),
  }),
);
type ConsoleLog = Static<typeof ConsoleLog>;

/** Escape sequences of ECMA-48 (colours, titles and similar) and control characters that make a line unreadable. */
const ESCAPES = new RegExp(
  [
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?',
    '\\u001b[PX^_][^\\u001b]*(?:\\u001b\\\\)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '\\u001b[ -/]*[0-~]?',
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]',
  ].join('|'),
  'g',
);

/**
 * Keeps the last lines of `text`. If `text` is longer than `KEPT_BYTES`, earlier output was cut off; the first line is
 * then incomplete and is dropped.
 */
export function cutLog(text: string, { lines, raw }: { lines: number; raw: boolean }): ConsoleLog {
  const bytes = Buffer.from(text);
  const isCut = bytes.length > KEPT_BYTES;
  const kept = isCut ? bytes.subarray(bytes.length - KEPT_BYTES).toString() : text;
  const all = kept.replace(/\n$/, '').split('\n');
  if (isCut) all.shift();
  const last = all.length === 1 && all[0] === '' ? [] : all.slice(-lines);
  return {
    lines: raw ? last : last.map((line) => line.replace(ESCAPES, '')),
    truncated: isCut || all.length > lines,
  };
}

export const getVmConsoleLog = endpoint({
  id: 'getVmConsoleLog',
  method: 'GET',
  path: '/flexible-vps/v1/vms/{id}/console-log',
  summary: 'Read the console log of a machine',
  description:
    'Returns the last lines that the machine printed on its serial console, including boot messages and the output of cloud-init. The log is kept over restarts and is empty after a redeploy. At most the last 256 KiB are kept. To get plain text, send `Accept: text/plain`.',
  permission: 'flexible-vps:vm-access:read',
  access: 'read',
  sensitive: true,
  resource: { name: 'vm_console_log', role: 'read' },
  params: VmId,
  query: Shape({
    lines: Type.Integer({
      minimum: 1,
      maximum: MOST_LINES,
      default: LINES,
      description: 'How many lines the answer has at most: the last ones.',
    }),
    raw: Type.Boolean({
      default: false,
      description: 'Whether to keep terminal escape sequences in the lines.',
    }),
  }),
  answers: { 200: ConsoleLog },
  formats: { 'text/plain': ({ lines }) => lines.map((line) => `${line}\n`).join('') },
  problems: ['capability_missing'],
  example: {
    params: { id: exampleVm.id },
    query: { lines: 100 },
    answer: {
      status: 200,
      body: {
        lines: ['[    0.000000] Linux version 6.8.0', 'Ubuntu 24.04 LTS web-1 ttyS0', 'web-1 login:'],
        truncated: false,
      },
    },
  },
  async handle({ db, caller, params, query, services }) {
    const row = await findVm(db, caller.account.id, params.id);
    requireCapability(services.compute, row.location, 'consoleLog');
    const text = await ask(services.compute, row.location, machineRefusals, (engine, signal) =>
      engine.readConsoleLog(refOf(row), KEPT_BYTES + 1, signal).catch((error: unknown) => {
        // The instance is not created yet, so its log is empty.
        if (error instanceof EngineRefused && error.code === 'not_found') return '';
        throw error;
      }),
    );
    return ok(cutLog(text, query));
  },
});
