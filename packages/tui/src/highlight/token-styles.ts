// Maps the highlighter's scopes to the theme's syntax colours. Scopes without an entry look like plain code.

import type { Style } from "../rows/row.ts";

export const PLAIN_CODE: Style = { color: "mdCodeBlock" };
const keyword: Style = { color: "syntaxKeyword" };
const name: Style = { color: "syntaxFunction" };
const variable: Style = { color: "syntaxVariable" };
const text: Style = { color: "syntaxString" };
const number: Style = { color: "syntaxNumber" };
const type: Style = { color: "syntaxType" };

const STYLES: Readonly<Record<string, Style>> = {
  comment: { color: "syntaxComment" },
  quote: { color: "syntaxComment" },
  doctag: { color: "syntaxComment" },
  keyword,
  literal: number,
  "selector-tag": keyword,
  section: keyword,
  meta: keyword,
  name: keyword,
  title: name,
  "selector-id": name,
  "selector-class": name,
  built_in: type,
  type,
  attr: variable,
  attribute: variable,
  variable,
  "template-variable": variable,
  property: variable,
  params: variable,
  string: text,
  regexp: text,
  symbol: text,
  link: text,
  char: text,
  number,
  operator: { color: "syntaxOperator" },
  punctuation: { color: "syntaxPunctuation" },
  addition: { color: "toolDiffAdded" },
  deletion: { color: "toolDiffRemoved" },
  emphasis: { color: "mdCodeBlock", italic: true },
  strong: { color: "mdCodeBlock", bold: true },
};

/** `scope` is a name like "title.class". Undefined if it has no colour. */
export function tokenStyle(scope: string): Style | undefined {
  if (scope.startsWith("title.class")) return type;
  if (scope === "subst") return PLAIN_CODE;
  const dot = scope.indexOf(".");
  return STYLES[dot < 0 ? scope : scope.slice(0, dot)];
}
