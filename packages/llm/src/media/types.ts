// MIME types by file extension, and the types assumed for bytes without one.

export const MIME_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  heif: "image/heif",
  bmp: "image/bmp",
  tif: "image/tiff",
  tiff: "image/tiff",
  svg: "image/svg+xml",
  avif: "image/avif",
  ico: "image/x-icon",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  json: "application/json",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  aac: "audio/aac",
};

/** Wrong but common spellings. */
export const MISSPELT_TYPES: Readonly<Record<string, string>> = { "image/jpg": "image/jpeg" };

export const DEFAULT_TYPES = { image: "image/png", audio: "audio/wav", document: "application/pdf" } as const;
export type MediaKind = keyof typeof DEFAULT_TYPES;

export const COMMON_IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const DEFAULT_MAX_IMAGE_BYTES = 20 * 1024 * 1024;
