// The kinds of files that are opened by what they are. The order decides where two claim a name.

import type { Format } from "../../target/format.ts";

export const builtinFormats: readonly Format[] = [];
