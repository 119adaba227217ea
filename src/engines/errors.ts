/** What an engine's call can end with: a refusal is final, an engine that does not answer is asked again. */
import type { OperationErrorCode } from '../kernel/operations/schema.ts';

/** It was understood and will not be done; asking again gives the same answer until something else changes. */
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

/** No answer, or none that could be understood: what was asked for may have happened or not. */
export class EngineUnreachable extends Error {
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'EngineUnreachable';
  }
}
