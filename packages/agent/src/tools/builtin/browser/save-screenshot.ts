// The nested call behind `save` of a screenshot. It is not offered to the model; only calls inside calls find it.

import { integer, object, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { fileAccess } from "../file-access.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Screenshots that are about to be saved, by number. */
    readonly screenshots?: Map<number, Uint8Array>;
  }
}

const params = { path: text(), picture: integer({}) };

export const saveScreenshotCall: ToolDef<StaticFields<typeof params>> = {
  name: "browser_save_screenshot",
  label: "Save a screenshot",
  description: "What `save` of a screenshot does.",
  schema: object(params),
  hidden: true,
  tier: "write",
  replay: "never",
  needs: ["screenshots"],
  access: ({ path }, scope) => fileAccess("write", [path], scope),
  summary: ({ path }) => path,
  preview: ({ path }) => ({ lines: [{ text: `write a screenshot to ${path}` }], shows: ["path", "picture"] }),
  async execute({ path, picture }, { env, paths, blobs, services }) {
    const bytes = services.screenshots?.get(picture);
    if (!bytes) throw new ToolFailure("There is no such screenshot.");
    const { real, stat } = await paths.locate(path);
    const before = stat?.kind === "file" ? await env.readBytes(real, undefined, { ifFile: stat.file }) : undefined;
    const keep = (content: Uint8Array) => ({ sha256: blobs.put(content), bytes: content.length });
    const change = {
      path: real,
      after: keep(bytes),
      added: 0,
      removed: 0,
      ...(before ? { before: keep(before) } : {}),
    };
    await env.writeFile(real, bytes, { noLinks: true, ifVersion: before ? stat?.version : "absent" });
    return { content: [{ kind: "text", text: `Wrote ${path}.` }], changes: [change], effects: "done" };
  },
};
