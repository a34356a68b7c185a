import { expect, it } from "vitest";
import { findSymbol } from "./positions.ts";

it("T-LSP-1 a symbol is a word first, then any text of the line, whatever signs and case it has", () => {
  expect(findSymbol("export const x = x1 + x;", "x")).toBe(13);
  expect(findSymbol("export const x = x1 + x;", "x#2")).toBe(22);
  expect(findSymbol("export const x = x1 + x;", "x#3")).toBeUndefined();
  expect(findSymbol("--main-color: red;", "main-color")).toBe(2);
  expect(findSymbol("a.b(c)[0]/2 | $d", "b(c)[0]/2 | $")).toBe(2);
  expect(findSymbol("const Total = 1;", "total")).toBe(6);
  expect(findSymbol("const total = 1;", "tot")).toBe(6);
  expect(findSymbol("const total = 1;", "sum")).toBeUndefined();
});
