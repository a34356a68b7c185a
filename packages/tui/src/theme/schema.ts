// JSON Schema of theme files, for editors to complete colour names and mark missing ones. What it cannot express (an
// unknown var, a cycle of vars) is reported when the file is loaded.

import { SYMBOL_SETS } from "./symbol-sets.ts";
import { TOKEN_GROUPS, TOKENS } from "./tokens.ts";

type Json = { readonly [key: string]: unknown };

const COLOUR: Json = {
  description:
    'An "#rrggbb" colour, a number of the 256-colour palette, the name of a var, or "" for the terminal\'s own colour.',
  anyOf: [
    { type: "integer", minimum: 0, maximum: 255 },
    { type: "string", pattern: "^(#[0-9a-fA-F]{6})?$" },
    { type: "string", pattern: "^[^#]" },
  ],
};

const colour: Json = { $ref: "#/$defs/colour" };

export function themeSchema(): Json {
  const tokens = Object.entries(TOKEN_GROUPS).flatMap(([group, names]) =>
    names.map((name): [string, Json] => [name, { ...colour, description: group }]),
  );
  const signs = Object.entries(SYMBOL_SETS.unicode).flatMap(([name, sign]) => (typeof sign === "string" ? name : []));
  const text = { type: "string" };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A theme of the terminal: <name>.json in the themes directory",
    type: "object",
    required: ["name", "colors"],
    properties: {
      name: { type: "string", minLength: 1 },
      vars: { type: "object", additionalProperties: colour },
      colors: { type: "object", required: [...TOKENS], properties: Object.fromEntries(tokens) },
      export: { type: "object", properties: { pageBg: colour, cardBg: colour, infoBg: colour } },
      symbols: {
        type: "object",
        properties: {
          preset: { enum: Object.keys(SYMBOL_SETS) },
          overrides: { type: "object", properties: Object.fromEntries(signs.map((name) => [name, text])) },
          spinnerFrames: {
            anyOf: [
              { type: "array", items: text },
              { type: "object", properties: { status: { type: "array", items: text } } },
            ],
          },
        },
      },
    },
    $defs: { colour: COLOUR },
  };
}
