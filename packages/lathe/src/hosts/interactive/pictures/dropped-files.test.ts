import { expect, it } from "vitest";
import { droppedPaths } from "./dropped-files.ts";

it.each([
  ["/a/b.png", ["/a/b.png"]],
  ["/a/my\\ shot\\ (1).png ", ["/a/my shot (1).png"]],
  ["'/a/my shot.png' \"/b/c d.png\"", ["/a/my shot.png", "/b/c d.png"]],
  ["file:///a/my%20shot.png", ["/a/my shot.png"]],
  ["~/b.png\n/c.png", ["~/b.png", "/c.png"]],
])("dropped files are found in %j", (text, paths) => {
  expect(droppedPaths(text)).toEqual(paths);
});

it.each(["look at /a/b.png", "", "b.png", "it's /a.png", "file://elsewhere/a.png", "'/a.png"])(
  "%j is text, not dropped files",
  (text) => {
    expect(droppedPaths(text)).toBeUndefined();
  },
);
