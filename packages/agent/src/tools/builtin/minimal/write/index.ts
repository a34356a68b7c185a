// `write` of the four-tool set: write_file under a short name, with that set's wording.

import { writeFileTool, writeTool } from "../../write-file/index.ts";
import description from "./description.md";

export const minimalWriteTool: typeof writeFileTool = {
  ...writeFileTool,
  name: "write",
  description: description.trim(),
  execute: writeTool("Created new file"),
};
