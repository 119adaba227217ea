/** A VPS costs by its plan or custom size, extra disk, IPv4 address, licence, traffic, snapshots and backups. */
import { divide, ONE } from '../../../kernel/micro.ts';
import { Nullable, OneOf, Shape, Slug, type Static, Type } from '../../../kernel/schema.ts';
import { type Bill, count } from '../../../money/prices/bill.ts';
import { HOURS_PER_MONTH } from '../../../money/prices/line.ts';
import { IDENTITY, pricedType } from '../../../money/prices/priced-type.ts';
import type { CustomPlan } from '../../../provider/catalogue.ts';
import { unfitImage } from '../hardware.ts';
import {
  chargeIpv4,
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from './machine-lines.ts';
import { machineSales } from './sales.ts';

const Reference = Type.String({ minLength: 1, maxLength: 90 });

const Configuration = Shape({
  location: Slug,
  plan: Type.Optional(Nullable(Slug)),
  custom_size: Type.Optional(
    Nullable(Shape({ vcpus: Type.Integer(), memory_mb: Type.Integer(), disk_gb: Type.Integer() })),
  ),
  disk_gb: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: LARGEST_DISK_GB }))),
  public_ipv4: Type.Optional(
    Shape({
      mode: Type.Optional(OneOf(['ephemeral', 'reserved', 'none'])),
      ip_id: Type.Optional(Nullable(Reference)),
    }),
  ),
  image_id: Type.Optional(Nullable(Reference)),
  source: Type.Optional(
    Type.Object({ type: Type.Optional(Type.String()), image_id: Type.Optional(Reference) }),
  ),
  backup_policy_id: Type.Optional(Nullable(Reference)),
  backup: Type.Optional(
    Nullable(
      Shape({
        per_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 186 })),
        keep: Type.Integer({ minimum: 1, maximum: 60 }),
      }),
    ),
  ),
});

type Configuration = Static<typeof Configuration>;

interface Size {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly architecture: string;
  readonly trafficGb: number;
  charge(location: string): void;
}

export const vm = pricedType({
  family: 'flexible-vps',
  place: 'location',
  configuration: Configuration,
  ignored: [
    ...IDENTITY,
    'hostname',
    'fallbacks',
    'ssh_key_ids',
    'user_data',
    'user_data_encoding',
    'generate_password',
    'public_ipv6',
    'networks',
    'firewall_ids',
    'volume_ids',
    'placement_group_id',
    'start',
    'boot_mode',
    'secure_boot',
  ],
  usage: ['traffic_out_gb', 'snapshot_gb', 'backup_gb'],
  alternatives: [['plan', 'custom_size']],
  sales: machineSales,
  draw(configuration, bill) {
    const location = bill.location(configuration.location, '/location');
    const size = sizeOf(configuration, bill, location?.slug);
    const licence = size && licenceOf(configuration, size, bill);
    const copiesGb = size && backupGb(configuration, size, bill);
    if (!bill.sound || !location || !size) return;

    size.charge(location.slug);
    if ((configuration.public_ipv4?.mode ?? 'ephemeral') === 'ephemeral') {
      chargeIpv4(bill, location.slug, 1, true);
    } else if (configuration.public_ipv4?.mode === 'reserved') {
      bill.assumptions.add('A reserved IPv4 is billed as an address of its own');
    }
    if (licence) {
      bill.charge(licence.sku, location.slug, { description: `Licence, ${licence.image}`, each: count(1) });
    }
    chargeTraffic(bill, location.slug, size.trafficGb);
    bill.chargeUsage('snapshot_gb', 'vps.snapshot', location.slug, { noun: 'Snapshots', unit: 'GB' });
    if (bill.usage('backup_gb') !== undefined || !copiesGb) {
      bill.chargeUsage('backup_gb', 'vps.backup', location.slug, { noun: 'Backups', unit: 'GB' });
    } else {
      const description = `Backups, ${copiesGb} GB kept`;
      bill.charge('vps.backup', location.slug, { description, each: count(copiesGb), expected: true });
    }
    if (bill.terms.hoursPerMonth < HOURS_PER_MONTH) {
      bill.assumptions.add('Disks above the plan and addresses are billed while the machine is stopped');
    }
    bill.demand('flexible-vps.vms', 1);
    bill.demand('flexible-vps.vcpus', size.vcpus);
    bill.demand('flexible-vps.memory-gb', size.memoryMb / 1024);
  },
});

function sizeOf(configuration: Configuration, bill: Bill, location: string | undefined): Size | undefined {
  const { plan, custom_size, disk_gb } = configuration;
  if (plan && custom_size) {
    bill.fail('/custom_size', 'mutually_exclusive', 'Give either plan or custom_size, not both.');
  } else if (plan) {
    return planSize(plan, disk_gb ?? undefined, bill, location);
  } else if (custom_size) {
    if (disk_gb && disk_gb !== custom_size.disk_gb) {
      bill.fail('/disk_gb', 'mutually_exclusive', 'A size of your own has its disk in custom_size.disk_gb.');
    }
    return customSize(custom_size, bill, location);
  } else {
    bill.fail('/plan', 'required', 'Give plan, or custom_size for a size of your own.');
  }
  return undefined;
}

function planSize(
  slug: string,
  disk: number | undefined,
  bill: Bill,
  at: string | undefined,
): Size | undefined {
  const plan = findPlan(bill, slug, at, '/plan');
  if (!plan) return undefined;
  const diskGb = disk ?? plan.disk_gb;
  checkDisk(bill, plan, diskGb, '/disk_gb');
  return {
    vcpus: plan.vcpus,
    memoryMb: plan.memory_mb,
    diskGb,
    architecture: plan.architecture,
    trafficGb: plan.traffic_gb_per_month,
    charge: (location) =>
      chargeMachine(bill, { location, plan, diskGb, machines: 1, publicIpv4: false, heldWhileStopped: true }),
  };
}

type Custom = NonNullable<Configuration['custom_size']>;

function customSize(custom: Custom, bill: Bill, at: string | undefined): Size | undefined {
  const offer = bill.book.catalogue.custom_plan;
  if (!offer) {
    bill.fail('/custom_size', 'unknown_reference', 'Sizes of your own are not sold here; choose a plan.');
    return undefined;
  }
  checkCustom(custom, offer, bill);
  if (at !== undefined && !offer.locations.includes(at)) {
    bill.unavailable(`Sizes of your own are not sold in ${at}.`, '/custom_size');
  }
  const memory = divide(BigInt(custom.memory_mb) * ONE, 1024n);
  return {
    vcpus: custom.vcpus,
    memoryMb: custom.memory_mb,
    diskGb: custom.disk_gb,
    architecture: offer.architecture,
    trafficGb: offer.traffic_gb_per_month,
    charge(location) {
      const allMonth = offer.billed_while_stopped;
      const part = (sku: string, description: string, each: bigint, held: boolean): void =>
        bill.charge(sku, location, { description: `${description}, ${location}`, each, allMonth: held });
      part('vps.custom-vcpu', `${custom.vcpus} vCPU`, count(custom.vcpus), allMonth);
      part('vps.custom-memory', `${custom.memory_mb} MB memory`, memory, allMonth);
      part('vps.custom-disk', `${custom.disk_gb} GB disk`, count(custom.disk_gb), true);
    },
  };
}

function checkCustom(custom: Custom, offer: CustomPlan, bill: Bill): void {
  for (const member of ['vcpus', 'memory_mb', 'disk_gb'] as const) {
    const { min, max, step } = offer.limits[member];
    const value = custom[member];
    if (value < min || value > max || (value - min) % step !== 0) {
      const detail = `Must be ${min} to ${max}${step > 1 ? ` in steps of ${step}` : ''}.`;
      bill.fail(`/custom_size/${member}`, 'out_of_range', detail);
    }
  }
  const { min, max } = offer.limits.memory_mb_per_vcpu;
  const ratio = custom.memory_mb / custom.vcpus;
  if (bill.sound && (ratio < min || ratio > max)) {
    bill.fail('/custom_size/memory_mb', 'out_of_range', `Must be ${min} to ${max} MB for each vCPU.`);
  }
}

/** Also checks that the image fits the machine, because a machine that cannot be created has no price. */
function licenceOf(
  configuration: Configuration,
  size: Size,
  bill: Bill,
): { sku: string; image: string } | undefined {
  const pointer = configuration.image_id ? '/image_id' : '/source/image_id';
  const id = configuration.image_id ?? configuration.source?.image_id;
  if (!id) return undefined;
  const listed = bill.book.images.get(id);
  const image = listed ?? bill.terms.references.image(id);
  if (!image) {
    bill.unknown(pointer, 'image', id, bill.book.images.keys());
    return undefined;
  }
  if (image.architecture !== size.architecture) {
    bill.fail(pointer, 'incompatible', unfitImage(image.architecture, size.architecture));
  }
  if (image.min_disk_gb > size.diskGb) {
    bill.fail(pointer, 'incompatible', `The image needs a disk of ${image.min_disk_gb} GB.`);
  }
  return listed?.licence_sku ? { sku: listed.licence_sku, image: listed.name } : undefined;
}

/** The maximum space of the scheduled backups: each backup counts with the full size of the disk. */
function backupGb(configuration: Configuration, size: Size, bill: Bill): number {
  const { backup, backup_policy_id } = configuration;
  if (backup && backup_policy_id) {
    bill.fail('/backup', 'mutually_exclusive', 'Give either backup_policy_id or backup, not both.');
  }
  const policy = backup_policy_id ? bill.terms.references.backupPolicy(backup_policy_id) : null;
  if (backup_policy_id && !policy) {
    bill.fail('/backup_policy_id', 'unknown_reference', 'There is no such backup policy in this account.');
  }
  const keep = backup?.keep ?? policy?.keep ?? 0;
  if (keep > 0 && bill.usage('backup_gb') === undefined) {
    bill.assumptions.add(`${keep} backups kept, each as large as the disk`);
  }
  return keep * size.diskGb;
}
