// The style sheet of an exported session: one column that fits a phone, light or dark as the reader prefers.

const LIGHT = `--page:#f6f5f2; --card:#fff; --ink:#1f2328; --muted:#656d76; --line:#dedbd5; --code:#f0eeea;
  --accent:#9a5b13; --bad:#b42318; --add:#dafbe1; --add-ink:#116329; --del:#ffebe9; --del-ink:#a40e26;`;
const DARK = `--page:#16181c; --card:#1e2126; --ink:#dfe2e6; --muted:#949ba4; --line:#33383f;
  --code:#262a30; --accent:#e0a458; --bad:#ff8b80; --add:#12301d; --add-ink:#7ee2a0; --del:#3a1a1c; --del-ink:#ffa8a0;`;

export const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 .5rem; }
a { color: var(--accent); }
.muted, .meta, time { color: var(--muted); }
.meta { font-size: .8125rem; font-variant-numeric: tabular-nums; }
.facts { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.facts b { color: var(--ink); font-weight: 600; }
.loss { color: var(--bad); font-size: .875rem; margin: .25rem 0; }
nav { margin: 0 0 1.25rem; font-size: .9375rem; }
nav ol { margin: .5rem 0 0; padding-left: 1.75rem; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
article { margin: 0 0 1rem; }
.user { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 8px;
  padding: .75rem 1rem; margin-top: 1.75rem; }
.user .said { white-space: pre-wrap; }
.head { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: .25rem; }
.head a { color: inherit; text-decoration: none; }
.who { font-weight: 600; }
.label { background: var(--accent); color: var(--card); border-radius: 4px; padding: 0 .4rem; margin-left: .5rem; font-weight: 400; }
.assistant > .meta { text-align: right; margin-top: .25rem; }
.md > :first-child { margin-top: 0; } .md > :last-child { margin-bottom: 0; }
.md { margin: .5rem 0; }
.md h1 { font-size: 1.25rem; } .md h2 { font-size: 1.125rem; } .md h3, .md h4, .md h5, .md h6 { font-size: 1rem; }
.md blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--muted); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9375rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
.wide .right { text-align: right; } .wide .center { text-align: center; }
code, pre, .name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .8125rem; }
code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); border-radius: 6px; padding: .6rem .75rem; margin: .5rem 0; overflow-x: auto; line-height: 1.45;
  overflow-wrap: normal; max-height: 32rem; tab-size: 4; }
pre code { background: none; padding: 0; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
details > :not(summary) { margin-left: .75rem; margin-right: .75rem; }
summary { padding: .45rem .75rem; cursor: pointer; display: flex; gap: .6rem; align-items: baseline; list-style: none; min-height: 2.4rem; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "›"; color: var(--muted); flex: none; transition: transform .1s; }
details[open] > summary::before { transform: rotate(90deg); }
summary .name { font-weight: 600; flex: none; }
summary .what { flex: 1 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .8125rem;
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--muted); }
summary .meta { flex: none; }
.failed { color: var(--bad); } details.failed { border-color: var(--bad); color: inherit; }
.added { color: var(--add-ink); } .removed { color: var(--del-ink); }
.key { color: var(--muted); font-size: .8125rem; margin-top: .6rem; }
.diff { padding: .4rem 0; } .diff span { display: block; padding: 0 .75rem; min-width: max-content; white-space: pre; }
.diff .plus { background: var(--add); color: var(--add-ink); } .diff .minus { background: var(--del); color: var(--del-ink); }
.diff .hunk { color: var(--muted); }
.thinking { border-style: dashed; } .plain { white-space: pre-wrap; color: var(--muted); font-size: .9375rem; padding-bottom: .6rem; }
.note { color: var(--muted); text-align: center; font-size: .875rem; margin: 1.25rem 0; }
.note details { text-align: left; }
img { max-width: 100%; height: auto; border-radius: 6px; display: block; margin: .5rem 0; }
.child { border-left: 2px solid var(--line); padding-left: .75rem; }
footer { margin-top: 3rem; text-align: center; }
@media (max-width: 30rem) { main { padding: .75rem .75rem 3rem; } h1 { font-size: 1.25rem; } .user { padding: .6rem .75rem; } }
@media print { pre { max-height: none; white-space: pre-wrap; } }
`;

/** A theme's colours for exported pages, as `#rrggbb`. */
export interface PageColours {
  readonly pageBg?: string | undefined;
  readonly cardBg?: string | undefined;
  readonly infoBg?: string | undefined;
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** "" without colours. The text is dark or light to suit the page; invalid colours are left out. */
export function coloursCss(colours: PageColours | undefined): string {
  const { pageBg, cardBg, infoBg } = colours ?? {};
  const chosen = [
    ["--page", pageBg],
    ["--card", cardBg],
    ["--code", infoBg],
  ].flatMap(([name, value]) => (value !== undefined && COLOUR.test(value) ? [`${name}:${value};`] : []));
  if (chosen.length === 0) return "";
  const base = pageBg !== undefined && COLOUR.test(pageBg) ? (isDark(pageBg) ? DARK : LIGHT) : "";
  const scheme = base === "" ? "" : `color-scheme: ${base === DARK ? "dark" : "light"}; ${base}`;
  const rule = `:root { ${scheme} ${chosen.join(" ")} }`;
  return `${rule}\n@media (prefers-color-scheme: dark) { ${rule} }\n`;
}

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}
