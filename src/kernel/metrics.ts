/** What the operator's dashboards read. Gauges are taken when asked for, so an idle process does nothing. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry as PrometheusRegistry,
} from 'prom-client';

const PREFIX = 'hostplane_';

export class Metrics {
  readonly #registry = new PrometheusRegistry();
  readonly requests: Counter<'operation' | 'status'>;
  readonly latency: Histogram<'operation'>;
  readonly refusals: Counter<'code'>;
  readonly alarms: Counter<'alarm'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 });
    this.requests = new Counter({
      name: `${PREFIX}requests_total`,
      help: 'Requests by operation and HTTP status.',
      labelNames: ['operation', 'status'],
      registers,
    });
    this.latency = new Histogram({
      name: `${PREFIX}request_duration_seconds`,
      help: 'Time from the first byte of a request to its answer.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers,
    });
    this.refusals = new Counter({
      name: `${PREFIX}refusals_total`,
      help: 'Refused requests by problem code.',
      labelNames: ['code'],
      registers,
    });
    this.alarms = new Counter({
      name: `${PREFIX}alarms_total`,
      help: 'Things an operator should look at, by kind.',
      labelNames: ['alarm'],
      registers,
    });
  }

  /** A gauge read at the moment of the scrape. */
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

  render(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
