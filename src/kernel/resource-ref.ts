/** Names a resource wherever one is mentioned: in effects, audit entries, events and operations. */
export interface ResourceRef {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}
