// AWS's SDK for tests. Its ES modules import without file endings, which Node refuses under the test runner's resolve
// conditions, so it is bundled first; with an HTTP/1 handler, since its default speaks HTTP/2 only.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";

type Sdk = typeof import("@aws-sdk/client-bedrock-runtime");
type Handler = NonNullable<NonNullable<ConstructorParameters<Sdk["BedrockRuntimeClient"]>[0]>["requestHandler"]>;

export function loadBedrockSdk(): Sdk & { NodeHttpHandler: new () => Handler } {
  const folder = mkdtempSync(join(tmpdir(), "bedrock-sdk-"));
  const outfile = join(folder, "sdk.cjs");
  const contents = [
    'export * from "@aws-sdk/client-bedrock-runtime";',
    'export { NodeHttpHandler } from "@smithy/node-http-handler";',
  ].join("\n");
  buildSync({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
  });
  const sdk = createRequire(import.meta.url)(outfile);
  rmSync(folder, { recursive: true });
  return sdk;
}
