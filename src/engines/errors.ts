/** The errors of engine calls: a refusal is final, a call without an answer is retried. */
import type { OperationErrorCode } from '../kernel/operations/schema.ts';

/** The engine understood the call and refuses it. A retry is refused as well until something else changes. */
export class EngineRefused extends Error {
  readonly code: OperationErrorCode;

  constructor(code: OperationErrorCode, detail: string) {
    super(detail);
    this.name = 'EngineRefused';
    this.code = code;
  }
}

export class CapabilityMissing extends EngineRefused {
  readonly capability: string;

  constructor(capability: string, reason: string) {
    super('capability_missing', reason);
    this.name = 'CapabilityMissing';
    this.capability = capability;
  }
}

/** The engine sent no answer, or an invalid one. The work of the call may or may not have been done. */
export class EngineUnreachable extends Error {
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'EngineUnreachable';
  }
}
