/** Filled in by scripts/build.mjs. */
declare const LATHE_VERSION: string;
/** Unit that holds `main`. */
declare const LATHE_MAIN: number;
/** Of all packs. */
declare const LATHE_UNIT_COUNT: number;
declare const LATHE_START_PACK: string;
/** Names of subcommands, each between two spaces. */
declare const LATHE_COMMANDS: string;
/** What a run may use besides the start pack; loaded when the first of it is asked for. */
declare const LATHE_FALLBACK_PACKS: readonly string[];
/** Holds what a plain run uses from its first request to its end. */
declare const LATHE_ANSWER_PACK: string;
/** The pack to load before a unit that comes later; none for units of the start pack. */
declare const LATHE_PACKS: Readonly<Record<number, string>>;
