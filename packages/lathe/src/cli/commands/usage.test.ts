import { expect, it } from "vitest";
import { SUBCOMMANDS, type Subcommand } from "../../platform/options/option-table.ts";
import { usageOf } from "./usage.ts";

const NAMES = Object.keys(SUBCOMMANDS) as Subcommand[];

it("M2 the help of every command can be read in a terminal of 40 columns: only a form that is longer goes beyond it", () => {
  for (const name of NAMES) {
    const forms = usageOf(name, {}).split("\n");
    for (const line of usageOf(name, { isTTY: true, columns: 40 }).split("\n"))
      if (line.length > 40)
        expect(
          forms.filter((form) => form.startsWith(`${line} `)),
          line,
        ).toHaveLength(1);
  }
});

it("M2 what is piped is not broken, and a wide terminal shows the same", () => {
  for (const name of NAMES) {
    const piped = usageOf(name, { columns: 40 });
    expect(usageOf(name, { isTTY: true, columns: 400 })).toBe(piped);
    expect(piped.split("\n")[0]).toBe(`lathe ${name}: ${SUBCOMMANDS[name]}`);
  }
});
