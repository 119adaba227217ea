/** Refers to a resource in effects, audit entries, events and operations. */
export interface ResourceRef {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}
