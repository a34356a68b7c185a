// write of the profile `lathe`: the same operation as write_file, with one path parameter for everything.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { fileAccess } from "../file-access.ts";
import { hashlineWriteTool } from "../hashline-write/index.ts";
import description from "./description.md";

const params = { path: text("What to write"), content: text("The complete content") };

export const writeTool: ToolDef<StaticFields<typeof params>> = {
  name: "write",
  label: "Write",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  exclusive: true,
  output: { chars: 4_000, mode: "head" },
  access: ({ path }, scope) => fileAccess("write", [path], scope),
  summary: ({ path }) => path,
  card: ({ path }, result) => editCard(path, result),
  preview: async ({ path, content }, scope) => {
    const preview = await hashlineWriteTool.preview?.({ file_path: path, content }, scope);
    if (!preview) return { lines: [], shows: [] };
    return { ...preview, shows: preview.shows.map((name) => (name === "file_path" ? "path" : name)) };
  },
  execute: ({ path, content }, context) => hashlineWriteTool.execute({ file_path: path, content }, context),
};
