/** The types in which the sandbox of one port differs from another. The frame in this folder is typed over them. */
export interface SandboxPort {
  /** The names of the port's calls. */
  readonly call: string;
  /** The kinds of stored things, each with the shape of its state. */
  readonly states: object;
  /** The kinds of effects that only calls of this port can suffer. `never` where there are none. */
  readonly effect: string;
  /** The names of the tasks that take time. */
  readonly task: string;
  /** What exists from the start, such as hosts and images. */
  readonly fixtures: unknown;
}
