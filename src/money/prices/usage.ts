/** The metered use that can be expected in an estimate. Each type of resource names those that it is charged for. */
import { advanced, Shape, type Static, Type } from '../../kernel/schema.ts';

const amount = (unit: string, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, 'x-unit': unit, description }));

export const ExpectedUsage = Shape(
  {
    traffic_out_gb: amount('GB', 'Traffic to the internet in a month.'),
    percentile_95_mbps: amount('Mbit/s', 'The 95th percentile of the traffic, instead of `traffic_out_gb`.'),
    snapshot_gb: amount('GB', 'The size of all snapshots of the machine.'),
    backup_gb: amount('GB', 'The size of all backups of the machine.'),
    download_gb: amount('GB', 'What is downloaded in a month.'),
    load_balancers: amount('load balancers', 'The load balancers that services of the cluster ask for.'),
    volume_gb: amount('GB', 'The size of all volumes of the cluster.'),
    stored_gb_average: amount('GB', 'The size of all objects, as the average of a month.'),
    egress_gb: amount('GB', 'What is read from the bucket over the internet in a month.'),
    read_requests: amount('requests', 'Requests in a month that read.'),
    write_requests: amount('requests', 'Requests in a month that write or list.'),
    minutes: amount('minutes', 'The time that the work takes.'),
  },
  {
    ...advanced,
    description:
      'Metered use of one piece. Each type takes some of the members. Left out: the included amount.',
  },
);

export type UsageKey = keyof Static<typeof ExpectedUsage>;
