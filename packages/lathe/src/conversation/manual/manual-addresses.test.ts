import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { manualAddresses } from "./manual-addresses.ts";

const { signal } = new AbortController();
const manual = manualAddresses();

it("G-123 IU-02 the program's own pages are listed and read without a network", async () => {
  const urls = (await manual.list!(signal)).map(({ url }) => url);
  expect(urls).toContain("lathe://settings.md");
  expect(urls).not.toContain("lathe://progress.md");
  const page = await manual.read!("lathe://settings", signal);
  const file = readFileSync(new URL("../../../../../docs/settings.md", import.meta.url));
  expect(typeof page === "string" ? page : Buffer.from(page.bytes)).toEqual(file);
});

it("G-123 an unknown page names those that are there", async () => {
  await expect(manual.read!("lathe://../secret", signal)).rejects.toThrow(
    "There is no page lathe://../secret. There are: lathe://",
  );
});

it("LS-14 G-117 LATHE_PACKAGE_DIR names another folder of the package, whose pages are read instead", async () => {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs/mine.md"), "# My page\n");
  const other = manualAddresses(folder);
  expect(await other.list!(signal)).toEqual([{ url: "lathe://mine.md", about: "My page" }]);
  expect(String(((await other.read!("lathe://mine", signal)) as { bytes: Buffer }).bytes)).toBe("# My page\n");
});
