import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { eventsPage } from "./events-page.mjs";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

it("docs/events.md lists every event with its grammar, as the types have it: node scripts/events-page.mjs", () => {
  expect(read("docs/events.md")).toBe(eventsPage());
});

const published = readdirSync(new URL("../packages", import.meta.url)).flatMap((name) => {
  const manifest = JSON.parse(read(`packages/${name}/package.json`)) as { files: readonly string[]; private?: true };
  return manifest.private ? [] : [{ name, files: manifest.files }];
});

it.each(published)("the README of $name points to no file that is not in the package", ({ name, files }) => {
  const readme = read(`packages/${name}/README.md`).replace(/```[\s\S]*?```/g, "");
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, to = ""]) => to);
  const paths = [...readme.matchAll(/`((?:src|test|docs|scripts|schemas|sample|packages|\.\.?)\/[^`]*)`/g)];
  const named = [...links, ...paths.map(([, path = ""]) => path)];
  expect(named.filter((path) => !files.some((file) => path === file || path.startsWith(`${file}/`)))).toEqual([]);
});
