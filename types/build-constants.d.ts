/** Filled in by scripts/build.mjs. */
declare const LATHE_VERSION: string;
declare const LATHE_MAIN_CHUNK: string;
declare const LATHE_START_PACK: string;
