// Asks a model with vision about an image, outside the conversation.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { fitPicture } from "../../../files/read/fit-image.ts";
import { open } from "../../../files/read/open.ts";
import { exploringCard } from "../card.ts";
import { fileAccess, readTier } from "../file-access.ts";
import { READ_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  path: text("The picture"),
  question: text("What you want to know about it"),
};

/** Smaller images are sent unchanged, because they cost little. */
const KEPT_BYTES = 125 << 10;

export const inspectImageTool: ToolDef<StaticFields<typeof params>> = {
  name: "inspect_image",
  label: "Inspect image",
  description: description.trim(),
  schema: object(params),
  tier: ({ path }) => readTier(path),
  replay: "safe",
  output: READ_OUTPUT,
  needs: ["imageInspector"],
  timeoutMs: 0,
  access: ({ path }, scope) => fileAccess("read", [path], scope),
  summary: ({ path, question }) => `${path}: ${question}`,
  card: ({ path }, result) => exploringCard(["Inspecting", "Inspected", "Inspect"], path, result, () => undefined),
  async execute({ path, question }, context) {
    const { images, imageInspector } = context.services;
    if (!imageInspector) throw new ToolFailure("Pictures cannot be inspected here.");
    if (images?.blocks) throw new ToolFailure("Pictures are not sent to any model here (images.blockImages).");
    if (question.trim() === "") throw new ToolFailure("Give `question`: what you want to know about the picture.");
    const opened = await open(path, context);
    if (opened.kind !== "image")
      throw new ToolFailure(`${path} is not an image. Give a PNG, JPEG, GIF or WebP file; read shows other files.`);
    const { bytes, mediaType } = await fitPicture(opened, context, KEPT_BYTES);
    const answer = (await imageInspector.ask({ data: bytes, mediaType }, question, context.signal)).trim();
    if (answer === "") throw new ToolFailure("The model that looked at the picture gave no answer. Ask again.");
    return {
      content: [{ kind: "text", text: answer }],
      details: { filePath: opened.path, mediaType, size: bytes.length },
      effects: "none",
    };
  },
};
