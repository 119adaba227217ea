/**
 * Serializes attaching to a network with removing it. The engine deletes a network even while an interface is being
 * attached, and a machine with an interface into a missing network can no longer be changed. This lock works within
 * one process. Between processes the database ensures it: no network is removed while an interface is recorded for
 * it.
 */
const joining = new Map<string, Set<Promise<unknown>>>();
const leaving = new Map<string, Promise<unknown>>();

async function untilSettled(network: string): Promise<void> {
  for (let work = leaving.get(network); work !== undefined; work = leaving.get(network))
    await Promise.allSettled([work]);
}

export async function whileJoining<T>(network: string, work: () => Promise<T>): Promise<T> {
  await untilSettled(network);
  const all = joining.get(network) ?? new Set();
  joining.set(network, all);
  const own = work();
  all.add(own);
  try {
    return await own;
  } finally {
    all.delete(own);
    if (all.size === 0) joining.delete(network);
  }
}

export async function whileLeaving<T>(network: string, work: () => Promise<T>): Promise<T> {
  await untilSettled(network);
  const own = Promise.allSettled(joining.get(network) ?? []).then(work);
  leaving.set(network, own);
  try {
    return await own;
  } finally {
    leaving.delete(network);
  }
}
