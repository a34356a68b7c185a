import { expect, it } from "vitest";
import { listing } from "./listing.ts";

const ENTRIES = [
  ["a", "goes on and on until it does not fit any more"],
  ["longer name", "short"],
  ["a name that is much longer than the others", "has a line of its own"],
] as const;

it("a meaning goes on below itself, and a name that is too wide has its own line", () => {
  expect(listing(ENTRIES, 40).split("\n")).toEqual([
    "a            goes on and on until it",
    "             does not fit any more",
    "longer name  short",
    "a name that is much longer than the others",
    "             has a line of its own",
  ]);
});

it("where there is no room beside the names, meanings stand below them", () => {
  expect(listing(ENTRIES.slice(0, 2), 22).split("\n")).toEqual([
    "a",
    "    goes on and on",
    "    until it does not",
    "    fit any more",
    "longer name",
    "    short",
  ]);
});

it("a word that is longer than a line is cut, not left to wrap at the edge", () => {
  expect(listing([["file", "/one/very/long/path/to/a/file.jsonl"]], 30).split("\n")).toEqual([
    "file  /one/very/long/path/to/a",
    "      /file.jsonl",
  ]);
});

it("without a width nothing is broken", () => {
  expect(listing([["a", "b ".repeat(200).trim()]])).not.toContain("\n");
});
