// Lets a model make an image and saves it as a new file. The host knows the vendor and its key; this tool is the
// interface for the model.

import { choice, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Located } from "../../../contract/paths/call-paths.ts";
import {
  type Access,
  type CallScope,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { open } from "../../../files/read/open.ts";
import { imageSize, imageType, MOST_IMAGE_BYTES } from "../../../files/target/images.ts";
import type { WebGate } from "../../../files/web/gate/types.ts";
import { EnvError } from "../../../world/env/types.ts";
import { verbOf } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import description from "./description.md";

/** An image on its way to or from the vendor. */
export interface PictureBytes {
  readonly data: Uint8Array;
  readonly mediaType: string;
}

/** A request to a model that makes images. */
export interface PictureOrder {
  readonly prompt: string;
  readonly shape: PictureShape | undefined;
  /** Images to change or to draw from. */
  readonly images: readonly PictureBytes[];
}

/** Makes images for `generate_image`. The host chooses the vendor. */
export interface PictureMaker {
  readonly name: string;
  readonly host: string;
  /** True if the user named this vendor in the settings. */
  readonly isChosen: boolean;
  /** Fails with ToolFailure. */
  make(order: PictureOrder, gate: WebGate, signal: AbortSignal): Promise<PictureBytes>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Looked up for each call, because a key may be stored while the session runs. */
    readonly pictureMaker?: () => Promise<PictureMaker>;
  }
}

const SHAPES = ["square", "landscape", "portrait"] as const;
/** The proportions of an image. */
export type PictureShape = (typeof SHAPES)[number];

const params = {
  prompt: text("What the picture shows, in detail: subject, style, colours, text in it"),
  path: text("The new file; .png, .jpg or .webp, as the vendor delivers it"),
  shape: optional(choice(SHAPES, "Its proportions")),
  images: optional(listOf(text("A picture of the project"), { description: "Pictures to change or to draw from" })),
};

type Args = StaticFields<typeof params>;

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/webp": ["webp"],
  "image/gif": ["gif"],
};

export const generateImageTool: ToolDef<Args> = {
  name: "generate_image",
  label: "Make a picture",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  loadMode: "discoverable",
  needs: ["pictureMaker", "web"],
  timeoutMs: 0,
  access: async ({ prompt, path, images = [] }, scope): Promise<Access[]> => {
    // We do not ask the user about a call that cannot succeed.
    await refuseImpossible({ prompt, path, images }, scope);
    const maker = await scope.services.pictureMaker?.();
    return [
      ...(await fileAccess("write", [path], scope)),
      ...(await fileAccess("read", images, scope)),
      { kind: "network", host: maker?.host ?? "the vendor", ...(maker?.isChosen ? { chosen: true as const } : {}) },
    ];
  },
  summary: ({ path, prompt }) => `${path}: ${prompt}`,
  card: ({ path, prompt }, result) => ({
    verb: verbOf(["Making", "Made", "Make"], result),
    subject: path,
    namesFiles: true,
    outcome: result === undefined || result.isError ? undefined : prompt,
  }),
  preview: async ({ path, prompt, images = [], shape }, { services }) => ({
    lines: [
      { text: `create ${path}`, kind: "heading" },
      { text: prompt },
      { text: `made by ${(await services.pictureMaker?.())?.name}, which bills it`, kind: "note" },
      ...images.map((image) => ({ text: `sends ${image}`, kind: "note" as const })),
      ...(shape === undefined ? [] : [{ text: shape, kind: "note" as const }]),
    ],
    shows: ["path", "prompt", "images", "shape"],
  }),
  execute,
};

async function execute({ prompt, path, shape, images = [] }: Args, context: ToolContext): Promise<ToolResult> {
  const { pictureMaker, web } = context.services;
  if (!pictureMaker || !web) throw new ToolFailure("Pictures cannot be made here.");
  const target = await refuseImpossible({ prompt, path, images }, context);
  const given = await Promise.all(images.map((one) => readPicture(one, context)));
  const maker = await pictureMaker();
  const { data, mediaType } = await maker.make({ prompt, shape, images: given }, web.gate, context.signal);
  const type = imageType(data);
  const extensions = EXTENSIONS[type ?? ""];
  if (type === undefined || extensions === undefined)
    throw new ToolFailure(`${maker.name} sent ${mediaType} that is not an image. Nothing was written.`);
  const saved = extensions.some((one) => path.toLowerCase().endsWith(`.${one}`)) ? target.real : undefined;
  if (saved === undefined) {
    const kept = context.openArtifact("generate_image");
    kept.write(Buffer.from(data));
    const { id } = await kept.close();
    throw new ToolFailure(
      `${maker.name} sent ${type}, so the file must end in .${extensions[0]}. The picture is in artifact://${id}: ` +
        `give its bytes another name with the shell, or ask the user.`,
    );
  }
  await context.env.writeFile(saved, data, { ifVersion: "absent" }).catch((error) => {
    if (!(error instanceof EnvError)) throw error;
    throw new ToolFailure(`${path} could not be written: ${error.message}`);
  });
  const size = imageSize(data);
  const measures = size === undefined ? "" : `, ${size.width}x${size.height} pixels`;
  const shows = context.services.vision === true && data.length <= MOST_IMAGE_BYTES;
  return {
    content: [
      { kind: "text", text: `Created ${path} (${type}${measures}, ${data.length} bytes), made by ${maker.name}.` },
      ...(shows ? [{ kind: "image" as const, image: { data, mediaType: type } }] : []),
    ],
    changes: [{ path: saved, after: { sha256: context.blobs.put(data), bytes: data.length }, added: 0, removed: 0 }],
    details: { filePath: saved, mediaType: type, size: data.length, vendor: maker.name },
    effects: "done",
  };
}

async function refuseImpossible(
  { prompt, path, images }: Pick<Args, "prompt" | "path"> & { readonly images: readonly string[] },
  { paths }: CallScope,
): Promise<Located> {
  if (prompt.trim() === "") throw new ToolFailure("Give `prompt`: what the picture shows.");
  const target = await paths.locate(path);
  if (target.stat) throw new ToolFailure(`${path} exists. Name a new file; nothing was made.`);
  const other = images.find((one) => !/\.(?:png|jpe?g|gif|webp)$/i.test(one));
  if (other !== undefined) throw new ToolFailure(notPicture(other));
  return target;
}

const notPicture = (path: string): string =>
  `${path} is not an image. Give PNG, JPEG, GIF or WebP files in \`images\`.`;

async function readPicture(path: string, context: ToolContext): Promise<PictureBytes> {
  const opened = await open(path, context);
  if (opened.kind !== "image") throw new ToolFailure(notPicture(path));
  return { data: opened.bytes, mediaType: opened.mediaType };
}
