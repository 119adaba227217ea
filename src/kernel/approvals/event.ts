import type { NewEvent } from '../events/event.ts';
import type { ResourceRef } from '../resource-ref.ts';
import type { ApprovalRow } from './store.ts';

export function approvalEvent(
  happened: 'requested' | 'approved' | 'denied' | 'expired',
  { operation_id, endpoint_id, key_id, expires_at }: ApprovalRow,
  resource: ResourceRef,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): NewEvent {
  return {
    type: `approval.${happened}`,
    resource,
    operationId: operation_id,
    message,
    data: { action: endpoint_id, api_key_id: key_id, expires_at: expires_at.toISOString(), ...more },
  };
}
