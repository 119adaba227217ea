/**
 * Checks whether a host could hold the smallest machine on sale: CPU and memory if the host were empty, disk as it is
 * now.
 */
import type { Examination } from '../../../../kernel/registry.ts';
import { cliOf, fine, type Place, wrong } from './context.ts';

interface Host {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly freeGb: number;
}

async function readHost({ client, settings }: Place, member: string | null): Promise<Host> {
  const ask = member === null ? {} : { target: member };
  const { cpu, memory } = await client.ask<{ cpu: { total: number }; memory: { total: number } }>(
    'GET',
    '/1.0/resources',
    ask,
  );
  const path = `/1.0/storage-pools/${settings.storagePool}/resources`;
  const { space } = await client.ask<{ space: { total: number; used?: number } }>('GET', path, ask);
  const left = 1 - settings.reservePercent / 100;
  return {
    vcpus: cpu.total * settings.vcpuOvercommit,
    memoryMb: Math.floor((memory.total / 2 ** 20) * left),
    freeGb: Math.floor((space.total * left - (space.used ?? 0)) / 2 ** 30),
  };
}

export async function examineRoom(place: Place): Promise<Examination | null> {
  const { sold, settings, members, server } = place;
  if (sold.smallest === null) return null;
  const { vcpus, memoryMb, diskGb } = sold.smallest;
  const hosts = await Promise.all(members.map((member) => readHost(place, member)));
  const sum = (of: (host: Host) => number): number => hosts.reduce((all, host) => all + of(host), 0);
  const shown = `${sum((host) => host.vcpus)} vCPUs and ${sum((host) => host.memoryMb)} MB to sell, ${sum((host) => host.freeGb)} GB free`;
  const fits = hosts.some(
    (host) => host.vcpus >= vcpus && host.memoryMb >= memoryMb && host.freeGb >= diskGb,
  );
  if (fits) return fine(sold, 'room', shown);
  const fix = `See ${cliOf(server)} storage info ${settings.storagePool}; add disks or a member, lower reserve_percent, or sell smaller plans.`;
  const detail = `${shown}: too little for the smallest plan (${vcpus} vCPUs, ${memoryMb} MB, ${diskGb} GB).`;
  return wrong(sold, 'room', detail, fix);
}
