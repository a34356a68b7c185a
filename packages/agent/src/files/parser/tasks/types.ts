// What runs in the parser process: functions over foreign bytes, by name.

/** Bytes and whatever else a task needs; it travels between processes. */
export interface TaskInput {
  readonly bytes?: Uint8Array | undefined;
  readonly [more: string]: unknown;
}

/** May block, loop and fail: the process ends at the deadline. The result travels back and may hold bytes. */
type Task = (input: TaskInput) => unknown;

/** Loaded with their first use. */
export type TaskTable = Readonly<Record<string, () => Promise<Task>>>;

/** Why foreign bytes cannot be read, in words that follow a colon; everything else that a task throws is a defect. */
export class CannotParse extends Error {}
