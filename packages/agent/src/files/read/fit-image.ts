// Pictures that a model can accept: within the limits of a request, or shrunk in the parser process.

import type { ImageData } from "@lathe/llm";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { ParserFailure, runParser } from "../parser/run-parser.ts";
import type { FittedImage } from "../parser/tasks/image.ts";
import { imageSize, MOST_IMAGE_BYTES } from "../target/images.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly images?: ImageOptions;
    /** Examines pictures in place of the conversation's model. */
    readonly imageInspector?: ImageInspector | undefined;
  }
}

/** How pictures in reads are handled. */
export interface ImageOptions {
  /** A separate model examines them on request; the conversation gets none. */
  readonly inspects?: boolean | undefined;
  /** False: never shrink pictures. */
  readonly autoResize?: boolean | undefined;
  /** Never send pictures to a model. */
  readonly blocks?: boolean | undefined;
}

/** A model that examines pictures outside the conversation. */
export interface ImageInspector {
  /** Returns its answer. Throws a ToolFailure if there is no such model. */
  ask(image: ImageData, question: string, signal: AbortSignal): Promise<string>;
}

export interface Picture {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

export interface FitPicture extends Picture {
  /** Says that it was shrunk, and from what size. */
  readonly note?: string | undefined;
}

/** Larger ones are not even examined. */
const MOST_READ_BYTES = 20 << 20;
const USUAL_LIMITS = { mostSide: 1568, mostBytes: 500 << 10 };

/** The size of a picture in words. */
export function pictureFacts({ path, bytes, mediaType }: Picture): string {
  const size = imageSize(bytes);
  return `${path}: ${mediaType}, ${size ? `${size.width}x${size.height} pixels, ` : ""}${bytes.length} bytes`;
}

/** `keepBytes`: a picture of at most this many bytes stays as it is, if its sides fit as well. */
export async function fitPicture(
  picture: Picture,
  scope: Pick<CallScope, "signal" | "services">,
  keepBytes: number,
  limits: { readonly mostSide: number; readonly mostBytes: number } = USUAL_LIMITS,
): Promise<FitPicture> {
  const { path, bytes } = picture;
  if (bytes.length > MOST_READ_BYTES)
    throw new ToolFailure(`${pictureFacts(picture)}. Pictures of up to ${MOST_READ_BYTES >> 20} MiB can be viewed.`);
  const size = imageSize(bytes);
  // Nothing needs to be started to see that it fits.
  if (bytes.length <= keepBytes && size && Math.max(size.width, size.height) <= limits.mostSide) return picture;
  const isSendable = bytes.length <= MOST_IMAGE_BYTES;
  if (scope.services.images?.autoResize === false) {
    if (isSendable) return picture;
    throw tooLarge(picture, "images.autoResize is off");
  }
  try {
    const input = { bytes, ...limits, keepBytes };
    const fitted = await runParser<FittedImage | undefined>("image.fit", input, { scope, path });
    if (!fitted) return picture;
    const { width, height, before } = fitted;
    const note = `made smaller, from ${before.width}x${before.height} to ${width}x${height} pixels`;
    return { path, bytes: fitted.bytes, mediaType: fitted.mediaType, note };
  } catch (error) {
    if (!(error instanceof ParserFailure) || scope.signal.aborted) throw error;
    // The original may still be acceptable.
    if (isSendable) return picture;
    throw tooLarge(picture, error.why);
  }
}

const tooLarge = (picture: Picture, why: string): ToolFailure =>
  new ToolFailure(
    `${pictureFacts(picture)}. It is too large to be sent (at most ${MOST_IMAGE_BYTES} bytes) and was not made smaller: ${why}. Make a smaller copy with a program in the shell and read that.`,
  );
