import { readFileSync } from "node:fs";
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
