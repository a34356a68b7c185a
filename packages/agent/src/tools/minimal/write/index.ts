// `write` of the four-tool set: write_file under its short name.

import { writeFileTool } from "../../write-file/index.ts";
import description from "./description.md";

export const minimalWriteTool: typeof writeFileTool = {
  ...writeFileTool,
  name: "write",
  description: description.trim(),
};
