// The formats that open files by type. If two claim a name, the first one wins.

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
