import { describe, expect, it } from "vitest";
import { longFunctions } from "./function-size.mjs";

const lines = (count: number): string => "  work();\n".repeat(count);

describe("the limit of functions", () => {
  it("a function of 81 lines is named with its place, one of 80 is not", () => {
    const text = `const before = 1;\nfunction long() {\n${lines(79)}}\nfunction short() {\n${lines(78)}}\n`;
    expect(longFunctions("a.ts", text)).toEqual(["a.ts:2: long has 81 lines, the limit is 80: split it by concept"]);
  });

  it("methods and arrow functions count as well", () => {
    const text = `class A {\n  run() {\n${lines(90)}  }\n}\nexport const run = () => {\n${lines(90)}};\n`;
    expect(longFunctions("a.ts", text)).toHaveLength(2);
  });
});
