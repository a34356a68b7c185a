// All files of eleven other agents and Lathe in one place: what is found, from where, and what takes precedence.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listingOf, listingText } from "../../src/found/discovery/listing.ts";
import { ITEM_KINDS } from "../../src/found/discovery/types.ts";
import { HOME_FILES, PROJECT_FILES } from "./layouts.ts";
import { discoveryIn, twoFolders } from "./place-kit.ts";

const GOLDEN = join(import.meta.dirname, "golden.txt");

it("EX-01 EX-02 CF-07 the files of other agents are all found, with their sources, and the right one of a name wins", async () => {
  const folders = await twoFolders(HOME_FILES, PROJECT_FILES);
  const discovery = discoveryIn(folders, { cwd: join(folders.project, "packages/app") });
  const text = listingText(await listingOf(discovery, ITEM_KINDS), discovery.place);
  if (process.env["LATHE_WRITE_GOLDEN"]) writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, "utf8"));
});
