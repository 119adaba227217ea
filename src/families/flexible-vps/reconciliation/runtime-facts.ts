/** Facts that change while a machine runs (host, start time, guest agent). They cause no new version and no event. */
import type { Instance } from '../../../engines/compute/port.ts';
import type { VmRow } from '../vms/table.ts';

type Agent = VmRow['guest_agent'];
type Remembered = Pick<VmRow, 'id' | 'status' | 'host_group' | 'started_at' | 'guest_agent'>;

export interface Facts {
  readonly id: string;
  /** The facts are written only if the machine still has this status. */
  readonly status: string;
  readonly host_group: string;
  readonly started_at: Date | null;
  readonly guest_agent: Agent;
}

/** Whether the agent answers is written at once; the time of its last answer at most this often. */
const AGENT_EVERY_MS = 300_000;

export function agentOf(before: Agent, { agent }: Pick<Instance, 'agent'>, now: Date): Agent {
  if (agent === null) return before === null || before.is_silent ? before : { ...before, is_silent: true };
  const isFresh =
    before !== null &&
    !before.is_silent &&
    before.version === agent.version &&
    now.getTime() - Date.parse(before.last_seen_at) < AGENT_EVERY_MS;
  return isFresh ? before : { version: agent.version, last_seen_at: now.toISOString() };
}

/** Returns undefined if the row is up to date. */
export function newsOf(row: Remembered, seen: Instance, now: Date): Facts | undefined {
  const isRunning = row.status === 'running';
  const facts = {
    id: row.id,
    status: row.status,
    host_group: seen.host,
    started_at: isRunning ? seen.startedAt : null,
    guest_agent: isRunning ? agentOf(row.guest_agent, seen, now) : row.guest_agent,
  };
  const isSame =
    facts.host_group === row.host_group &&
    facts.started_at?.getTime() === row.started_at?.getTime() &&
    facts.guest_agent === row.guest_agent;
  return isSame ? undefined : facts;
}
