import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Style } from "../rows/row.ts";
import { visible } from "../rows/visible.ts";
import { widthOf } from "../rows/width.ts";
import { BUILTIN_THEMES } from "./builtin.ts";
import { parseTheme, type ThemeDefinition } from "./definition.ts";
import { appearance, colourMode } from "./mode.ts";
import { rgbOf } from "./palette.ts";
import { SYMBOL_SETS, symbolsFor } from "./symbol-sets.ts";
import { Theme } from "./theme.ts";
import { themeDirectory } from "./theme-files.ts";
import { Themes, type ThemesOptions } from "./themes.ts";
import { TOKENS } from "./tokens.ts";

const dark = BUILTIN_THEMES[0] as ThemeDefinition;
const colors = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({ ...dark.colors, ...changes });
const file = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({ name: "mine", colors: colors(), ...changes });

describe("theme files", () => {
  it("TU-01 G-111 a theme of one's own loads, with nested vars, palette numbers and the terminal's own colour", () => {
    const theme = parseTheme(
      file({ vars: { base: "#7aa2f7", main: "base" }, colors: colors({ accent: "main", dim: 240, text: "" }) }),
      "mine",
    );
    expect([theme.colors.accent, theme.colors.dim, theme.colors.text]).toEqual(["#7aa2f7", 240, ""]);
  });

  it("TU-01 G-111 all missing colours are named in one message, by group", () => {
    const { accent: _a, mdCode: _b, statusLineCost: _c, ...rest } = dark.colors;
    expect(() => parseTheme(file({ colors: rest }), "mine")).toThrow(
      "Theme mine: these colors are missing: colors.accent (text and borders); colors.mdCode (markdown); colors.statusLineCost (status line). Add them to the file.",
    );
  });

  it("TU-01 G-111 vars in a circle, unknown vars and bad values are errors that name the place", () => {
    const problem = (changes: Record<string, unknown>): string => {
      try {
        parseTheme(file(changes), "mine");
        return "none";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(problem({ vars: { a: "b", b: "a" }, colors: colors({ accent: "a" }) })).toContain(
      "colors.accent: vars refer to each other in a circle: a -> b -> a",
    );
    expect(problem({ colors: colors({ accent: "nope" }) })).toContain('colors.accent refers to the var "nope"');
    expect(problem({ colors: colors({ accent: 256 }) })).toContain("colors.accent is 256");
    expect(problem({ colors: colors({ accent: "#12345" }) })).toContain('colors.accent is "#12345"');
    expect(problem({ export: { pageBg: true } })).toContain("export.pageBg is true");
    expect(problem({ symbols: { preset: "emoji" } })).toContain('symbols.preset is "emoji"');
    expect(problem({ name: 3 })).toContain("`name` must be a text");
    expect(problem({ vars: [] })).toContain("`vars` must be an object");
    expect(() => parseTheme("{", "mine")).toThrow("Theme mine: the file is not valid JSON");
    expect(() => parseTheme("[]", "mine")).toThrow("Theme mine: the file must hold a JSON object");
  });

  it("TU-01 there are 66 tokens, and every built-in theme has each of them", () => {
    expect(new Set(TOKENS).size).toBe(66);
    for (const { name, ...theme } of BUILTIN_THEMES) {
      expect(parseTheme(JSON.stringify({ name, ...theme }), name)).toEqual({ name, ...theme });
    }
  });

  it("text of the built-in themes can be read on their background", () => {
    const light = (hex: string): number => {
      const parts = rgbOf(hex).map((part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0);
    };
    const weak = BUILTIN_THEMES.filter(({ name }) => name !== "ansi").flatMap(({ name, colors: all }) => {
      const background = light(name.startsWith("light") ? "#ffffff" : "#1e1e1e");
      return TOKENS.filter((token) => !/Bg$|[bB]order|Sep$|mdHr/.test(token) && all[token] !== "").filter((token) => {
        const text = light(all[token] as string);
        return (Math.max(text, background) + 0.05) / (Math.min(text, background) + 0.05) < 3.5;
      });
    });
    expect(weak).toEqual([]);
  });
});

describe("colours", () => {
  const sgr = (style: Style, mode: "truecolor" | "256" | "none", definition = dark): string =>
    new Theme(definition, mode).sgr(style);

  it("G-111 colours are said as the terminal understands them, in the fewest bytes", () => {
    expect(sgr({ color: "#7aa2f7" }, "truecolor")).toBe("38;2;122;162;247");
    expect(sgr({ color: "#7aa2f7" }, "256")).toBe("38;5;111");
    expect(sgr({ color: "#87afd7" }, "truecolor")).toBe("38;5;110");
    expect(sgr({ background: 4, color: 12, bold: true, underline: true }, "256")).toBe("1;4;94;44");
    expect(sgr({ color: "text" }, "truecolor")).toBe("");
    expect(sgr({ color: "noSuchToken" }, "truecolor")).toBe("");
  });

  it("NO_COLOR and dumb terminals get no colour, and headings are still bold", () => {
    expect(sgr({ color: "accent", background: "#ffffff" }, "none")).toBe("");
    expect(sgr({ color: "mdHeading", bold: true }, "none")).toBe("1");
    expect([colourMode({ NO_COLOR: "1", COLORTERM: "truecolor" }), colourMode({ TERM: "dumb" })]).toEqual([
      "none",
      "none",
    ]);
    expect(colourMode({ NO_COLOR: "", TERM: "xterm-256color" })).toBe("truecolor");
  });

  it("TU-02 G-112 the colour mode comes from the environment; a Linux console gets only palette colours", () => {
    expect(colourMode({ COLORTERM: "24bit", TERM: "linux" })).toBe("truecolor");
    expect(colourMode({ WT_SESSION: "x" })).toBe("truecolor");
    expect(["linux", ""].map((TERM) => colourMode({ TERM }))).toEqual(["256", "256"]);
    expect(colourMode({ TERM: "xterm-kitty" })).toBe("truecolor");
    expect(colourMode({ TERM: "screen-256color" })).toBe("256");
    for (const theme of BUILTIN_THEMES) {
      for (const color of TOKENS) expect(sgr({ color }, "256", theme)).not.toContain("38;2");
    }
  });

  it("TU-02 G-112 a white background gives the light theme; the terminal's answer beats the environment", () => {
    const white = { kind: "background", red: 255, green: 255, blue: 255 } as const;
    const black = { kind: "background", red: 20, green: 20, blue: 30 } as const;
    expect(appearance(white, { COLORFGBG: "15;0" })).toBe("light");
    expect(appearance(black, { COLORFGBG: "0;15" })).toBe("dark");
    expect(appearance({ kind: "appearance", dark: false }, {})).toBe("light");
    expect(
      ["0;15", "15;0", "0;default;7", "nonsense"].map((COLORFGBG) => appearance(undefined, { COLORFGBG })),
    ).toEqual(["light", "dark", "dark", "dark"]);
  });

  it("a terminal shows what was asked for", async () => {
    const terminal = new Terminal({ allowProposedApi: true, cols: 10, rows: 2 });
    const theme = new Theme(dark, "truecolor");
    const wanted = {
      color: "#123456",
      background: 200,
      bold: true,
      italic: true,
      strike: true,
      inverse: true,
      dim: true,
    };
    await new Promise<void>((resolve) => terminal.write(`\x1b[${theme.sgr(wanted)}mx`, resolve));
    const cell = terminal.buffer.active.getLine(0)?.getCell(0);
    expect([cell?.getFgColor(), cell?.isFgRGB(), cell?.getBgColor(), cell?.isBgPalette()]).toEqual([
      0x123456,
      true,
      200,
      true,
    ]);
    expect(
      [cell?.isBold(), cell?.isItalic(), cell?.isStrikethrough(), cell?.isInverse(), cell?.isDim()].every(Boolean),
    ).toBe(true);
    terminal.dispose();
  });
});

describe("symbols", () => {
  it("TU-04 every sign of a set takes as many columns as it says, and the ascii set is ASCII", () => {
    for (const [name, set] of Object.entries(SYMBOL_SETS)) {
      const signs = [...Object.values(set).filter((sign): sign is string => typeof sign === "string"), ...set.spinner];
      for (const sign of signs) {
        expect(visible(sign)).toBe(sign);
        if (name === "ascii") expect(sign).toMatch(/^[ -~]+$/);
        else expect(widthOf(sign)).toBe(1);
      }
    }
  });

  it("TU-04 G-111 the setting beats the theme's set; unknown names and unsafe signs are ignored", () => {
    const theme = { preset: "nerd", overrides: { bullet: "*", noSuchSign: "x", prompt: "\x1b[2J" } } as const;
    expect(symbolsFor(theme).success).toBe(SYMBOL_SETS.nerd.success);
    expect(symbolsFor(theme, "ascii").success).toBe("+");
    expect([symbolsFor(theme).bullet, symbolsFor(theme).prompt]).toEqual(["*", "❯"]);
    expect(symbolsFor(theme)).not.toHaveProperty("noSuchSign");
    expect(symbolsFor({ spinnerFrames: ["a", "b"] }).spinner).toEqual(["a", "b"]);
    expect(symbolsFor({ spinnerFrames: ["a", "世"] }).spinner).toEqual(SYMBOL_SETS.unicode.spinner);
    expect(symbolsFor({ overrides: { bullet: "•" } }, "ascii").bullet).toBe("-");
  });
});

describe("choosing a theme", () => {
  let directory: string;
  let timers: { run: () => void; isOff: boolean }[];
  let changes: number;
  let seen: Array<() => void>;
  let opened: Themes[];

  const themes = (options: Partial<ThemesOptions> = {}): Themes => {
    const made = new Themes({
      files: themeDirectory(directory, { readdirSync, readFileSync, watch }),
      clock: {
        setTimeout: (run) => {
          const timer = { run, isOff: false };
          timers.push(timer);
          for (const tell of seen.splice(0)) tell();
          return timer;
        },
        clearTimeout: (timer) => {
          if (timer !== undefined) (timer as { isOff: boolean }).isOff = true;
        },
      },
      mode: "truecolor",
      appearance: "dark",
      onChange: () => changes++,
      ...options,
    });
    opened.push(made);
    return made;
  };
  const write = (name: string, text: string): void => {
    // Editors save like this: a new file replaces the old one.
    writeFileSync(join(directory, "part"), text);
    renameSync(join(directory, "part"), join(directory, `${name}.json`));
  };
  /** Resolves once the watcher has reported a change, and skips the wait that follows. */
  const untilNoticed = async (change: () => void): Promise<void> => {
    const told = new Promise<void>((resolve) => seen.push(resolve));
    change();
    await told;
    await new Promise((resolve) => setImmediate(resolve));
    for (const timer of timers.splice(0)) if (!timer.isOff) timer.run();
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "themes-"));
    timers = [];
    changes = 0;
    seen = [];
    opened = [];
  });
  afterEach(() => {
    for (const one of opened) one.close();
    rmSync(directory, { recursive: true });
  });

  it("TU-03 G-112 an edit of the file is seen at once, and garbage or a missing file changes nothing", async () => {
    write("mine", file({ colors: colors({ accent: "#000001" }) }));
    const all = themes({ dark: "mine" });
    expect(all.sgr({ color: "accent" })).toBe("38;2;0;0;1");
    await untilNoticed(() => write("mine", file({ colors: colors({ accent: "#000002" }) })));
    expect(all.sgr({ color: "accent" })).toBe("38;2;0;0;2");
    expect(changes).toBe(1);
    await untilNoticed(() => write("mine", "{ garbage"));
    await untilNoticed(() => rmSync(join(directory, "mine.json")));
    expect([all.sgr({ color: "accent" }), changes]).toEqual(["38;2;0;0;2", 1]);
    await untilNoticed(() => write("mine", file({ colors: colors({ accent: "#000003" }) })));
    expect(all.sgr({ color: "accent" })).toBe("38;2;0;0;3");
  });

  it("TU-03 G-112 a preview is gone when it is cancelled, and a failed one changes nothing", () => {
    const all = themes();
    expect(all.preview("light")).toEqual({ success: true });
    expect(all.current.name).toBe("light");
    expect(all.preview("nope")).toEqual({ success: false, error: "Theme not found: nope" });
    expect(all.current.name).toBe("light");
    all.cancelPreview();
    expect(all.current.name).toBe("dark");
  });

  it("TU-01 TU-03 a theme that cannot be used leaves the dark one and says why", () => {
    write("bad", "{}");
    const all = themes({ appearance: "light" });
    expect(all.select("../../etc/passwd")).toEqual({ success: false, error: "Theme not found: ../../etc/passwd" });
    expect(all.select("bad")).toEqual({ success: false, error: "Theme bad: `name` must be a text." });
    expect(all.current.name).toBe("dark");
    expect(themes({ dark: "gone" }).startProblems).toEqual([
      "Theme not found: gone",
      "Theme bad: `name` must be a text.",
    ]);
  });

  it("TU-01 G-112 ours win over files of the same name, and files are listed behind ours", () => {
    write("light", file({ colors: colors({ accent: "#000001" }) }));
    write("mine", file());
    const all = themes({ appearance: "light" });
    expect(all.sgr({ color: "accent" })).not.toBe("38;2;0;0;1");
    expect(all.names()).toEqual([...BUILTIN_THEMES.map(({ name }) => name), "mine"]);
    expect(
      themes({ files: themeDirectory(join(directory, "missing"), { readdirSync, readFileSync, watch }) }).names(),
    ).toHaveLength(BUILTIN_THEMES.length);
  });

  it("TU-02 the other theme comes when the terminal turns light, and the chosen one stays with its side", () => {
    const all = themes();
    all.select("ansi");
    all.setAppearance("light");
    expect(all.current.name).toBe("light");
    all.setAppearance("dark");
    expect(all.current.name).toBe("ansi");
  });

  it("TU-03 the colour-blind setting turns added lines from green to blue and nothing else", () => {
    const plain = themes().current.definition.colors;
    const shifted = themes({ colorBlind: true }).current.definition.colors;
    const [red = 0, green = 0, blue = 0] = rgbOf(shifted.toolDiffAdded as string);
    expect(blue > green && green > red).toBe(true);
    expect({ ...shifted, toolDiffAdded: plain.toolDiffAdded }).toEqual(plain);
  });
});
