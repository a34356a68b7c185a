// Writes packages/lathe/schemas from the definitions of the wire:
// node --conditions=lathe-source --import ./scripts/source-loader.mjs scripts/write-schemas.ts
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiFile } from "../packages/lathe/src/doors/serve/openapi.ts";
import { schemaFiles } from "../packages/lathe/src/hosts/rpc/publish.ts";

const folder = fileURLToPath(new URL("../packages/lathe/schemas/", import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...schemaFiles(), ...openApiFile() })) {
  writeFileSync(`${folder}${name}`, `${JSON.stringify(schema, null, 2)}\n`);
}
