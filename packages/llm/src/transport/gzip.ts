/** By the names that servers have for it. */
export function isGzip(headers: { readonly "content-encoding"?: string | undefined }): boolean {
  const encoding = headers["content-encoding"]?.toLowerCase();
  return encoding === "gzip" || encoding === "x-gzip";
}
