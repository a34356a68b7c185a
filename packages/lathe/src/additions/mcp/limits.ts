// Limits on what a server may cost us. A server beyond them is broken or hostile; ordinary use reaches none.

/** The size of one protocol message. */
export const MOST_MESSAGE_BYTES = 16 << 20;
/** Lines on stdout that are not messages: many servers print a greeting there. */
export const MOST_STRAY_LINES = 1_000;
/** Messages of any kind in one time window. */
export const MOST_MESSAGES = 5_000;
export const MESSAGE_WINDOW_MS = 10_000;

export const MOST_TOOLS = 512;
export const MOST_PROMPTS = 256;
export const MOST_SCHEMA_CHARS = 64 << 10;
/** How deep objects may be nested in a schema. */
export const DEEPEST_SCHEMA = 100;
export const MOST_DESCRIPTION_CHARS = 4_096;
export const MOST_INSTRUCTION_CHARS = 4_096;
/** List changes in one session: each one invalidates the cached prompt. */
export const MOST_LIST_CHANGES = 5;

export const REQUEST_TIMEOUT_MS = 30_000;
export const START_TIMEOUT_MS = 10_000;
/** A request whose server reports progress may take this many times its timeout. */
export const PROGRESS_FACTOR = 20;
/** How long a session's first request waits for servers whose tools are still unknown. */
export const FIRST_REQUEST_WAIT_MS = 250;
/** Failed starts in a row before only the user can try again. */
export const MOST_RESTARTS = 5;
/** A connection that lasted this long counts as successful. */
export const STEADY_MS = 60_000;
export const restartDelayMs = (failures: number): number => Math.min(30_000, 500 * 2 ** (failures - 1));
