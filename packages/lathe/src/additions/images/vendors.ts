// Image vendors as data: their address, the account whose key they use, the request, and where the answer has the
// picture.

import type { PictureOrder, PictureShape } from "@lathe/agent/tools";
import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";

export interface PictureVendor {
  readonly id: "gemini" | "openai" | "openrouter";
  readonly name: string;
  /** The model provider whose key it uses. */
  readonly account: string;
  readonly baseUrl: string;
  /** The default, unless `<ID>_IMAGE_MODEL` names another model. */
  readonly model: string;
  request(order: PictureOrder, model: string, key: string): VendorRequest;
  /** The picture in base64; undefined if the answer has none. */
  picture(answer: JsonObject): { readonly data: string; readonly mediaType: string } | undefined;
  /** The vendor's message when there is no picture. */
  words(answer: JsonObject): string | undefined;
}

interface VendorRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: JsonObject;
  readonly form?: FormData;
}

const RATIOS: Readonly<Record<PictureShape, string>> = { square: "1:1", landscape: "16:9", portrait: "9:16" };
const SIZES: Readonly<Record<PictureShape, string>> = {
  square: "1024x1024",
  landscape: "1536x1024",
  portrait: "1024x1536",
};

const base64 = (data: Uint8Array): string => Buffer.from(data).toString("base64");

/** Follows names and numbers into an answer. */
function at(value: JsonValue | undefined, ...way: readonly (string | number)[]): JsonValue | undefined {
  return way.reduce<JsonValue | undefined>((here, step) => {
    if (Array.isArray(here)) return typeof step === "number" ? here[step] : undefined;
    return isJsonObject(here) ? here[String(step)] : undefined;
  }, value);
}

const list = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined);

const gemini: PictureVendor = {
  id: "gemini",
  name: "Gemini",
  account: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  model: "gemini-2.5-flash-image",
  request: ({ prompt, shape, images }, model, key) => ({
    path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    headers: { "x-goog-api-key": key },
    json: {
      contents: [
        {
          role: "user",
          parts: [
            ...images.map(({ data, mediaType }) => ({ inlineData: { mimeType: mediaType, data: base64(data) } })),
            { text: prompt },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ["IMAGE"],
        ...(shape === undefined ? {} : { imageConfig: { aspectRatio: RATIOS[shape] } }),
      },
    },
  }),
  picture: (answer) => {
    const found = list(at(answer, "candidates", 0, "content", "parts"))
      .map((part) => at(part, "inlineData"))
      .find((part) => part !== undefined);
    const data = textOf(at(found, "data"));
    return data === undefined ? undefined : { data, mediaType: textOf(at(found, "mimeType")) ?? "image/png" };
  },
  words: (answer) =>
    textOf(at(answer, "candidates", 0, "content", "parts", 0, "text")) ??
    textOf(at(answer, "candidates", 0, "finishMessage")) ??
    textOf(at(answer, "promptFeedback", "blockReason")) ??
    textOf(at(answer, "candidates", 0, "finishReason")),
};

const openai: PictureVendor = {
  id: "openai",
  name: "OpenAI",
  account: "openai",
  baseUrl: "https://api.openai.com/v1",
  model: "gpt-image-1",
  request: ({ prompt, shape, images }, model, key) => {
    const headers = { authorization: `Bearer ${key}` };
    const size = shape === undefined ? "auto" : SIZES[shape];
    if (images.length === 0) return { path: "/images/generations", headers, json: { model, prompt, n: 1, size } };
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt, n: "1", size })) form.append(name, value);
    for (const [number, { data, mediaType }] of images.entries()) {
      const file = new Blob([Buffer.from(data)], { type: mediaType });
      form.append("image[]", file, `image-${number + 1}.${mediaType.slice("image/".length)}`);
    }
    return { path: "/images/edits", headers, form };
  },
  picture: (answer) => {
    const data = textOf(at(answer, "data", 0, "b64_json"));
    const format = textOf(at(answer, "output_format")) ?? "png";
    return data === undefined ? undefined : { data, mediaType: `image/${format}` };
  },
  words: () => undefined,
};

const openrouter: PictureVendor = {
  id: "openrouter",
  name: "OpenRouter",
  account: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  model: "google/gemini-2.5-flash-image",
  request: ({ prompt, shape, images }, model, key) => ({
    path: "/chat/completions",
    headers: { authorization: `Bearer ${key}` },
    json: {
      model,
      modalities: ["image", "text"],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: prompt },
            ...images.map(({ data, mediaType }) => ({
              type: "image_url",
              image_url: { url: `data:${mediaType};base64,${base64(data)}` },
            })),
          ],
        },
      ],
      ...(shape === undefined ? {} : { image_config: { aspect_ratio: RATIOS[shape] } }),
    },
  }),
  picture: (answer) => {
    const url = textOf(at(answer, "choices", 0, "message", "images", 0, "image_url", "url"));
    const [, mediaType, data] = /^data:([^;,]+);base64,(.+)$/s.exec(url ?? "") ?? [];
    return data === undefined || mediaType === undefined ? undefined : { data, mediaType };
  },
  words: (answer) => textOf(at(answer, "choices", 0, "message", "content")),
};

/** In order of preference. OpenRouter is used only if the settings name it. */
export const PICTURE_VENDORS: readonly PictureVendor[] = [gemini, openai, openrouter];
