import { expect, it } from "vitest";
import { systemUuid } from "./uuid.ts";

it("ids are random UUIDs of version 4, never the same twice", () => {
  const made = Array.from({ length: 2_000 }, systemUuid);
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
