/** The types in which the sandboxes of different ports differ. The shared code in this folder is generic over them. */
export interface SandboxPort {
  /** The names of the port's calls. */
  readonly call: string;
  /** The kinds of stored objects, each with the type of its state. */
  readonly states: object;
  /** The effects that only calls of this port can have; `never` if there are none. */
  readonly effect: string;
  /** The names of the tasks that take time. */
  readonly task: string;
  /** Objects that exist from the start, such as hosts and images. */
  readonly fixtures: unknown;
}
