// The kinds of files that are opened by what they are. The order decides where two claim a name.

import type { Format } from "../target/format.ts";
import { tarFormat, tgzFormat, zipFormat } from "./archive/index.ts";
import { documentFormat } from "./document/index.ts";
import { notebookFormat } from "./notebook/index.ts";
import { sqliteFormat } from "./sqlite/index.ts";

export const builtinFormats: readonly Format[] = [
  zipFormat,
  tarFormat,
  tgzFormat,
  notebookFormat,
  sqliteFormat,
  documentFormat,
];
