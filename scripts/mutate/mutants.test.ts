import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { instrument, mutantsOf } from "./mutants.mjs";

const SOURCE = `
export function sign(n: number, log: string[], strict = true): string {
  if (n < 0 && strict) throw new RangeError("negative");
  log.push(\`\${n}\`);
  const list = [1, 2, n].filter((one) => !(one > 2));
  return list.some((one) => one === n) ? "small" : "large" as string;
}
`;

function run(active: number, ...args: [number, string[], boolean?]): string {
  const text = instrument(SOURCE, mutantsOf("sign.ts", SOURCE), 0, `const __m = (n) => n === ${active};`);
  const { code } = transformSync(text, { loader: "ts", format: "cjs" });
  const module = { exports: {} as { sign: (...args: [number, string[], boolean?]) => string } };
  new Function("module", "exports", code)(module, module.exports);
  return module.exports.sign(...args);
}

describe("mutants", () => {
  const mutants = mutantsOf("sign.ts", SOURCE);
  const numberOf = (text: string, start: string): number =>
    mutants.findIndex(
      (one: { text: string; start: number }) => one.text === text && SOURCE.startsWith(start, one.start),
    );

  it("are found in conditions, operators, calls and statements, and nowhere in types", () => {
    const changes = mutants.map(({ start, end, text }: { start: number; end: number; text: string }) => [
      SOURCE.slice(start, end),
      text,
    ]);
    expect(changes).toEqual([
      ["true", "false"],
      ["n < 0 && strict", "true"],
      ["n < 0 && strict", "false"],
      ["n < 0 && strict", "n < 0 || strict"],
      ["n < 0", "n <= 0"],
      ["n < 0", "n >= 0"],
      ['throw new RangeError("negative");', ""],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source above
      ["log.push(`${n}`);", ""],
      ["[1, 2, n].filter((one) => !(one > 2))", "[1, 2, n]"],
      ["!(one > 2)", "(one > 2)"],
      ["one > 2", "one >= 2"],
      ["one > 2", "one <= 2"],
      ["list.some((one) => one === n)", "true"],
      ["list.some((one) => one === n)", "false"],
      ["list.some((one) => one === n)", "list.every((one) => one === n)"],
      ["one === n", "one !== n"],
    ]);
  });

  it("change what they say and nothing else", () => {
    const log: string[] = [];
    expect(run(-1, 1, log)).toBe("small");
    expect(log).toEqual(["1"]);
    expect(() => run(-1, -1, [])).toThrow("negative");
    expect(run(numberOf("", "throw"), -1, [])).toBe("small");
    expect(() => run(numberOf("n >= 0", "n < 0"), 1, [])).toThrow("negative");
    expect(run(numberOf("[1, 2, n]", "[1, 2, n].filter"), 3, [])).toBe("small");
    const silent: string[] = [];
    run(numberOf("", "log.push"), 1, silent);
    expect(silent).toEqual([]);
  });
});
