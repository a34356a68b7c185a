// What runs in the parser process: functions over foreign bytes, by name.

/** The bytes and whatever else a task needs; sent between processes. */
export interface TaskInput {
  readonly bytes?: Uint8Array | undefined;
  readonly [more: string]: unknown;
}

/** May block, loop and fail: the process is killed at the deadline. The result is sent back and may contain bytes. */
type Task = (input: TaskInput) => unknown;

/** Each is loaded on first use. */
export type TaskTable = Readonly<Record<string, () => Promise<Task>>>;

/** Why foreign bytes cannot be parsed, as words that follow a colon; anything else that a task throws is a bug. */
export class CannotParse extends Error {}
