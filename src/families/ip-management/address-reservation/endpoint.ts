import { parseCidr } from '../../../kernel/net/cidr.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { AnyObject } from '../../../kernel/record.ts';
import { price } from '../../../money/prices/price.ts';
import { noAddressLeft } from '../../../resources/addresses/availability/refusal.ts';
import { reservedLimit } from '../../../resources/addresses/availability/store.ts';
import { allocateBlock } from '../../../resources/addresses/blocks/store.ts';
import { beginReservation } from '../../../resources/addresses/holding/store.ts';
import { SINGLE } from '../../../resources/addresses/pool.ts';
import { addresses } from '../../../resources/addresses/resource.ts';
import {
  allocateAddress,
  attachedAddresses,
  type PublicAddressRow,
  takeBack,
} from '../../../resources/addresses/store.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { creationOf } from '../../../resources/records/records.ts';
import type { WriteCall } from '../../../resources/records/write-of.ts';
import {
  locationFaults,
  lockVmIfThere,
  refuse,
  requireFit,
  requirePlace,
  type VmRow,
  vmLife,
  vms,
} from '../../flexible-vps/offers.ts';
import { addressView } from '../addresses/present.ts';
import { ReserveAddress } from '../addresses/schema.ts';
import { readWhole } from '../addresses/store.ts';
import { reserveAddressKind } from './kind.ts';

type ReserveCall = WriteCall<never, typeof ReserveAddress>;

const POINTER = '/assign_to/id';

/** The lengths of blocks for which registries ask what they are for. */
const EXPLAINED: readonly unknown[] = [29, 28, 27, 48];

/** The members that a large block needs, as far as the body says what is wanted. */
function missingMember({ prefix_length: length, justification }: AnyObject): FieldError[] {
  if (justification !== undefined || !EXPLAINED.includes(length)) return [];
  const detail = `Say what a block of the length ${length} is for: registries ask for it.`;
  return [{ pointer: '/justification', code: 'required', detail }];
}

const lengthIn = ({ family, prefix_length }: ReserveAddress): number =>
  prefix_length ?? SINGLE[family === 'ipv4' ? 4 : 6];

function refuseFaults({ body, services, now }: ReserveCall): void {
  const { location, family } = body;
  const faults = [...locationFaults(services, location), ...missingMember(body)];
  if (faults.length > 0) throw invalid(faults);
  const configuration = { location, family, prefix_length: lengthIn(body) };
  const priced = price(services.tariff, addresses.type, configuration, { at: now });
  if (!priced.ok) {
    const inBody = ({ pointer, ...error }: FieldError) => ({
      ...error,
      pointer: pointer.replace(/^\/configuration/, ''),
    });
    throw invalid(priced.problems.map(inBody));
  }
  if (priced.item.available) return;
  const detail = `Such addresses are not sold in ${location}.`;
  throw invalid([{ pointer: '/location', code: 'location_mismatch', detail }]);
}

/** The machine that gets the address, locked before the address is. */
async function lockTarget(call: ReserveCall): Promise<VmRow | null> {
  const { db, caller, body } = call;
  if (body.assign_to === undefined) return null;
  const vm = await lockVmIfThere(db, caller.account.id, body.assign_to.id);
  if (vm === undefined)
    throw refuse(POINTER, 'unknown_reference', 'There is no such machine in this account.');
  const operation = (await pendingOn(db, [vm.id])).get(vm.id);
  vmLife.require('attachVmPublicIp', vm.status, { operation });
  return vm;
}

/** The block that is meant by an address or a range, with the length that is asked for. */
function blockOf({ address = '', ...body }: ReserveAddress): string {
  const text = address.includes('/') ? address : `${address}/${lengthIn(body)}`;
  const parsed = parseCidr(text);
  if (parsed !== null && parsed.cidr.prefix === lengthIn(body)) return parsed.cidr.text;
  const detail =
    parsed === null
      ? 'Write an address such as 203.0.113.7, or a range such as 203.0.113.128/29.'
      : `The length is not the one of prefix_length, ${lengthIn(body)}.`;
  throw invalid([{ pointer: '/address', code: 'invalid_format', detail }]);
}

async function allocate(call: ReserveCall): Promise<PublicAddressRow> {
  const { db, caller, services, body, now } = call;
  const { location, family, address } = body;
  const version = family === 'ipv4' ? 4 : 6;
  const length = lengthIn(body);
  const isSingle = length === SINGLE[version];
  const pools = services.provider.catalogue.address_pools;
  const request = {
    pools,
    location,
    version,
    accountId: caller.account.id,
    kind: isSingle ? 'reserved' : 'subnet',
    vmId: null,
    now,
  } as const;
  if (address !== undefined) {
    const own = await takeBack(db, request, blockOf(body));
    if (own !== undefined) return own;
    throw new Problem('address_taken', {
      detail: `${address} is not an address that this account has released in ${location}.`,
    });
  }
  const row = isSingle ? await allocateAddress(db, request) : await allocateBlock(db, request, length);
  if (row !== null) return row;
  const nextStep = 'Choose another location or another length.';
  if (isSingle) throw await noAddressLeft(db, request, [version], nextStep);
  throw new Problem('capacity_unavailable', {
    detail: `No ${family === 'ipv4' ? 'IPv4 subnet' : 'IPv6 prefix'} of the length ${length} is left in ${location}.`,
    extra: { alternatives: [] },
    nextStep,
  });
}

function describe(call: ReserveCall, { id }: PublicAddressRow): Promise<PublicAddressRow> {
  const { name, labels = {}, description = '', justification, protection } = call.body;
  return beginReservation(call.db, id, {
    ...(name === undefined ? {} : { name }),
    labels,
    description,
    justification: justification ?? null,
    protected: protection?.delete ?? false,
  });
}

export const reserveAddress = creationOf(addressView, {
  id: 'reserveAddress',
  summary: 'Reserve a public address, a prefix or a subnet',
  description:
    'The address is yours until you release it, and is billed from the end of the operation on. With `assign_to` a machine gets it at once; if that fails, the address has the status `error` and is not billed.',
  raisesCost: true,
  body: ReserveAddress,
  missing: missingMember,
  problems: [
    'name_taken',
    'quota_exceeded',
    'address_taken',
    'capacity_unavailable',
    'capability_missing',
    'invalid_state',
    'resource_suspended',
    'operation_in_progress',
    'operation_queue_full',
  ],
  kind: reserveAddressKind,
  example: {
    body: { name: 'shop', location: 'fra1', family: 'ipv4', labels: { env: 'prod' } },
    answer: {
      status: 'reserving',
      assignment: null,
      price: { hourly: '0.000000', monthly: '0.00', currency: 'EUR' },
    },
  },
  async begin(erased) {
    const call = erased as unknown as ReserveCall;
    const { db, body, now } = call;
    refuseFaults(call);
    const vm = await lockTarget(call);
    if (body.name !== undefined) await addresses.requireFreeName(call, body.name);
    const version = body.family === 'ipv4' ? 4 : 6;
    const limit = reservedLimit(version, lengthIn(body));
    await requireRoom(call, [{ limit, amount: 1, location: body.location }]);
    const taken = await allocate(call);
    if (vm !== null) {
      requireFit(vm, taken, POINTER);
      await requirePlace(call, vm, await attachedAddresses(db, [vm.id]));
    }
    const row = await describe(call, taken);
    await addresses.added(call, row, ['location', 'block', 'kind']);
    if (vm !== null) call.effect({ action: 'attach', ...vms.ref(vm) });
    const whole = await readWhole(db, row.id);
    if (whole === undefined) throw new Problem('not_found');
    return {
      row: whole,
      ready: { provisioned_at: now, status: 'available' },
      input: { vm_id: vm?.id ?? null },
      ...(vm === null ? {} : { subjects: [row.id, vm.id] }),
    };
  },
});
