/** The requests with which the laws about cost try a write: its example, and what the fixtures vary about it. */
import type { Endpoint } from '../kernel/record.ts';
import type { Variant } from './fixture.ts';
import { collect, fixtureOf } from './fixtures.ts';
import { paramsFor, requestTo, type WalkRequest, type World } from './walk.ts';

export interface CostCase {
  readonly endpoint: Endpoint;
  readonly title: string;
  readonly vary?: Variant;
  /** Brings the outermost resource of the path into another state. */
  readonly settleIn?: string;
}

const variations = collect('variations');
const ways = collect('ways');

const outermost = ({ path }: Endpoint): string => path.slice(0, Math.max(0, path.indexOf('/{')));

export function costCasesOf(endpoint: Endpoint): CostCase[] {
  const { id } = endpoint;
  const requests: Pick<CostCase, 'title' | 'vary'>[] = [
    { title: id },
    ...(ways[id] ?? []).map(({ body }) => ({
      title: `${id} ${JSON.stringify(body)}`,
      vary: async () => ({ body }),
    })),
    ...Object.entries(variations[id] ?? {}).map(([title, vary]) => ({ title: `${id} ${title}`, vary })),
  ];
  const states = Object.keys(fixtureOf(outermost(endpoint))?.settles ?? {});
  return requests.flatMap((request) => [
    { endpoint, ...request },
    ...states.map((state) => ({
      endpoint,
      ...request,
      title: `${request.title}, ${state} before`,
      settleIn: state,
    })),
  ]);
}

/** Creates what the request needs, in the account of the world. */
export async function costRequest(
  { endpoint, vary, settleIn }: CostCase,
  world: World,
): Promise<WalkRequest> {
  const made = await paramsFor(endpoint, world);
  const varied = await vary?.(world, made);
  const query = varied?.query === undefined ? {} : { query: varied.query };
  const request = await requestTo(endpoint, world, { params: varied?.params ?? made, ...query });
  const [outer = ''] = Object.values(made);
  if (settleIn !== undefined) await fixtureOf(outermost(endpoint))?.settles?.[settleIn]?.(world, outer);
  const payload = { ...(request.payload as object | undefined), ...varied?.body };
  return request.payload === undefined ? request : { ...request, payload };
}

export const dryRunOf = (request: WalkRequest): WalkRequest => ({
  ...request,
  url: `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`,
});
