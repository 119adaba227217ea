/** Finds the console session of a token, opens the console stream of its machine, and removes ended console sessions. */
import { ask } from '../../../engines/engine-call.ts';
import { hashBearerToken } from '../../../kernel/access/bearer.ts';
import type { ConsoleLine, ConsoleSession } from '../../../kernel/consoles.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { refOf } from '../vms/guest.ts';
import { machineRefusals } from '../vms/refusal-problems.ts';
import { readVm } from '../vms/store.ts';
import { createVmConsoleSession } from './console.ts';
import {
  claimSession,
  findBearer,
  releaseSession,
  removeEndedSessions,
  removeSession,
  touchSession,
} from './store.ts';

export async function findVmConsole(
  services: Services,
  sessionId: string,
  token: string,
): Promise<ConsoleSession | null> {
  const tokenHash = hashBearerToken(token);
  const bearer = await findBearer(services.db, sessionId, tokenHash);
  if (bearer === undefined) return null;
  return {
    bearer,
    endpoint: createVmConsoleSession,
    open: () => openVmConsole(services, sessionId, tokenHash),
  };
}

async function openVmConsole(
  services: Services,
  sessionId: string,
  tokenHash: Buffer,
): Promise<ConsoleLine | null> {
  const { db } = services;
  const session = await claimSession(db, sessionId, tokenHash);
  if (session === undefined) return null;
  try {
    const row = await readVm(db, session.vm_id);
    if (row === undefined) throw new Problem('not_found');
    const { stream } = await ask(services.compute, row.location, machineRefusals, (engine, signal) =>
      engine.openConsole(refOf(row), session.type, signal),
    );
    return {
      resource: { type: 'vm', id: row.id },
      stream,
      keep: () => touchSession(db, sessionId),
      close: () => removeSession(db, sessionId),
    };
  } catch (error) {
    await releaseSession(db, sessionId);
    throw error;
  }
}

export const consoleSessionUpkeep: Schedule = {
  name: 'flexible-vps.console-sessions',
  everySeconds: 300,
  run: ({ db }) => removeEndedSessions(db),
};
