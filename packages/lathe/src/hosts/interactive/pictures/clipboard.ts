// Reads the picture on the clipboard with the desktop's program for it.

import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import { Processes } from "@lathe/agent/world";
import type { Machine } from "../../../platform/machine/machine.ts";

export type ClipboardPicture =
  | { readonly kind: "picture"; readonly bytes: Uint8Array }
  | { readonly kind: "none" }
  /** The problem in one line. */
  | { readonly kind: "problem"; readonly message: string };

const PATIENCE_MS = 5_000;

/** The programs that read pictures: for Wayland, X11 (also within a Wayland session) and macOS. */
const PROGRAMS: readonly {
  readonly argv: readonly [string, ...string[]];
  fits(env: Machine["env"], platform: string): boolean;
}[] = [
  { argv: ["wl-paste", "--no-newline", "--type", "image/png"], fits: (env) => Boolean(env["WAYLAND_DISPLAY"]) },
  {
    argv: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
    fits: (env) => Boolean(env["DISPLAY"]),
  },
  { argv: ["pngpaste", "-"], fits: (_env, platform) => platform === "darwin" },
];

export async function clipboardPicture(
  { env, cwd }: Pick<Machine, "env" | "cwd">,
  platform: string = process.platform,
): Promise<ClipboardPicture> {
  const fitting = PROGRAMS.filter((program) => program.fits(env, platform));
  if (fitting.length === 0)
    return {
      kind: "problem",
      message: "There is no clipboard to read here. Paste or drop the path of a picture file.",
    };
  let isRead = false;
  for (const { argv } of fitting) {
    const bytes = await outputOf(argv, { env, cwd });
    if (bytes === "missing") continue;
    isRead = true;
    if (bytes.length > MOST_IMAGE_BYTES) return { kind: "problem", message: "The picture is too large to be sent." };
    if (imageType(bytes) !== undefined) return { kind: "picture", bytes };
  }
  if (isRead) return { kind: "none" };
  const names = fitting.map(({ argv: [name] }) => (name === "wl-paste" ? "wl-paste (wl-clipboard)" : name));
  return { kind: "problem", message: `To paste pictures, install ${names.join(" or ")}.` };
}

/** Empty if the clipboard has no picture. */
async function outputOf(
  argv: readonly [string, ...string[]],
  { env, cwd }: Pick<Machine, "env" | "cwd">,
): Promise<Uint8Array | "missing"> {
  const processes = new Processes();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const { exitCode } = await processes.run({
      argv,
      cwd,
      env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
      timeoutMs: PATIENCE_MS,
      // One chunk too many is kept to show that the picture is too large; the rest is dropped.
      onStdout: (chunk) => {
        if (size <= MOST_IMAGE_BYTES) chunks.push(chunk);
        size += chunk.length;
      },
    });
    return exitCode === 0 ? Buffer.concat(chunks) : new Uint8Array();
  } catch (error) {
    if ((error as { code?: unknown }).code === "unavailable") return "missing";
    throw error;
  } finally {
    await processes.cleanup();
  }
}
