// What a server may cost us at most. A server that goes beyond these is broken or hostile; none of them is reached in ordinary use.

/** One message of the protocol. */
export const MOST_MESSAGE_BYTES = 16 << 20;
/** Lines on stdout that are no messages: many servers print a greeting there. */
export const MOST_STRAY_LINES = 1_000;
/** Messages in one window of time, whatever they are. */
export const MOST_MESSAGES = 5_000;
export const MESSAGE_WINDOW_MS = 10_000;

export const MOST_TOOLS = 512;
export const MOST_PROMPTS = 256;
export const MOST_SCHEMA_CHARS = 64 << 10;
/** Objects inside of objects in a schema. */
export const DEEPEST_SCHEMA = 100;
export const MOST_DESCRIPTION_CHARS = 4_096;
export const MOST_INSTRUCTION_CHARS = 4_096;
/** Lists that changed what is offered, in one session: each of them costs the cached prompt. */
export const MOST_LIST_CHANGES = 5;

export const REQUEST_TIMEOUT_MS = 30_000;
export const START_TIMEOUT_MS = 10_000;
/** A request whose server reports progress may take this many times its timeout. */
export const PROGRESS_FACTOR = 20;
/** How long a session's first request waits for servers of which nothing is known yet. */
export const FIRST_REQUEST_WAIT_MS = 250;
/** Starts that fail one after the other; then only a person tries again. */
export const MOST_RESTARTS = 5;
/** A connection that lasted this long was a good one. */
export const STEADY_MS = 60_000;
export const restartDelayMs = (failures: number): number => Math.min(30_000, 500 * 2 ** (failures - 1));
