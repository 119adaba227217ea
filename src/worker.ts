/** The worker role: runs operations, webhooks, mails and schedules, which outlive requests. */
import { EVENTS_CHANNEL } from './kernel/events/store.ts';
import { WORK_CHANNEL } from './kernel/operations/store.ts';
import { retention } from './kernel/retention/schedule.ts';
import type { Services } from './kernel/services.ts';
import { MailSender } from './mail/sender.ts';
import { MAILS_CHANNEL } from './mail/store.ts';
import { REAL } from './operations/environment.ts';
import { watchDelays, watchSlots } from './operations/figures.ts';
import { Runner } from './operations/runner.ts';
import { Schedules } from './operations/schedules/schedules.ts';
import { DatabaseRunnerStore } from './operations/store.ts';
import { WEBHOOKS_CHANNEL } from './operations/webhooks/attempts/store.ts';
import { WebhookSender } from './operations/webhooks/sender.ts';
import { mailComposers } from './portal-api/people/mail-composers.ts';
import type { Listener } from './store/listener.ts';

export interface Worker {
  start(): void;
  close(): Promise<void>;
}

/** Call this before the listener starts: the worker subscribes to its notifications. */
export function openWorker(
  services: Services,
  /** The services that a step gets. */
  current: () => Services,
  listener: Listener,
  leaseSeconds?: number,
): Worker {
  const { db, registry, log, metrics } = services;
  const runner = new Runner(
    {
      store: new DatabaseRunnerStore(db, registry, REAL, leaseSeconds),
      environment: REAL,
      db,
      log,
      get services() {
        return current();
      },
      kindOf: (type) => registry.kinds.get(type),
    },
    { ...watchDelays(metrics), ...(leaseSeconds === undefined ? {} : { leaseSeconds }) },
  );
  listener.subscribe(WORK_CHANNEL, runner);
  const sender = new WebhookSender(services);
  listener.subscribe(EVENTS_CHANNEL, sender);
  listener.subscribe(WEBHOOKS_CHANNEL, sender);
  const mails = new MailSender(services, {
    composers: mailComposers,
    ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
  });
  listener.subscribe(MAILS_CHANNEL, mails);
  const schedules = new Schedules(services, [retention, ...registry.schedules]);
  watchSlots(metrics, runner, db);
  metrics.watch('webhooks_sending', 'Webhook messages that this process is sending.', () => sender.sending);
  metrics.watch('mails_sending', 'Mails that this process is sending.', () => mails.sending);
  let watches: (() => Promise<void>)[] = [];
  return {
    start() {
      runner.start();
      sender.start();
      mails.start();
      schedules.start();
      watches = registry.families.flatMap(({ watch }) => watch?.(services) ?? []);
    },
    async close() {
      const ends = watches.map((end) => end());
      await Promise.all([runner.close(), sender.close(), mails.close(), schedules.close(), ...ends]);
    },
  };
}
