/** Prometheus metrics for the operator. Most values are read at the scrape, so an idle process does no work. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry as PrometheusRegistry,
} from 'prom-client';
import { subtractInterval } from './event-loop-lag.ts';
import { RequestTally } from './request-counts.ts';

declare module './services.ts' {
  interface Services {
    readonly metrics: Metrics;
  }
}

const PREFIX = 'hostplane_';
const LAG_INTERVAL_MS = 100;

export class Metrics {
  readonly #registry = new PrometheusRegistry();
  readonly requests = new RequestTally();
  readonly alarms: Counter<'alarm'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LAG_INTERVAL_MS });
    subtractInterval(this.#registry, LAG_INTERVAL_MS / 1000);
    this.#showRequests();
    this.alarms = new Counter({
      name: `${PREFIX}alarms_total`,
      help: 'Things an operator should look at, by kind.',
      labelNames: ['alarm'],
      registers,
    });
  }

  #showRequests(): void {
    const { requests } = this;
    new Counter({
      name: `${PREFIX}requests_total`,
      help: 'Requests by operation and HTTP status.',
      labelNames: ['operation', 'status'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { operation, status, count } of requests.counts()) this.inc({ operation, status }, count);
      },
    });
    new Counter({
      name: `${PREFIX}refusals_total`,
      help: 'Refused requests by problem code.',
      labelNames: ['code'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [code, count] of requests.refusals) this.inc({ code }, count);
      },
    });
    const name = `${PREFIX}request_duration_seconds`;
    const help = 'Time from the first byte of a request to its answer.';
    // prom-client's Histogram accepts only single values. The registry accepts any object with this `get` method.
    const durations = {
      name,
      get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: requests.samples(name) }),
    };
    this.#registry.registerMetric(durations as unknown as Histogram);
  }

  /** Registers a gauge whose value is read at the scrape. */
  watch(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Like `watch`, with a value for each value of the label. If the values cannot be read, none is shown. */
  watchEach(
    name: string,
    help: string,
    label: string,
    read: () => Promise<Readonly<Record<string, number>>>,
  ): void {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      async collect() {
        this.reset();
        const values = await read().catch(() => ({}));
        for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number);
      },
    });
  }

  /** Registers a histogram and returns the function that adds a value to it. */
  measure(
    name: string,
    help: string,
    label: string,
    buckets: readonly number[],
  ): (value: string, number: number) => void {
    const histogram = new Histogram({
      name: `${PREFIX}${name}`,
      help,
      labelNames: [label],
      buckets: [...buckets],
      registers: [this.#registry],
    });
    return (value, number) => histogram.observe({ [label]: value }, number);
  }

  /** Registers a counter whose value, which only grows, is read at the scrape. The name gets the suffix `_total`. */
  countUp(name: string, help: string, read: () => number): void {
    new Counter({
      name: `${PREFIX}${name}_total`,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
