/**
 * The engine lets a network go while an interface is being plugged into it, and a machine with an interface into nothing
 * cannot be changed any more. So one who removes a network waits for those who join it, and they for him. Between
 * processes the tables see to that: no network is removed there that an interface is written down for.
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
