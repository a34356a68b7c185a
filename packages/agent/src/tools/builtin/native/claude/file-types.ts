// File types by ripgrep's names, as globs; an unknown type is taken for the ending of a name.

const GLOBS: Readonly<Record<string, string>> = {
  c: "*.{c,h}",
  cpp: "*.{cpp,cc,cxx,hpp,hh,hxx,h}",
  css: "*.{css,scss}",
  html: "*.{html,htm}",
  js: "*.{js,jsx,mjs,cjs,vue}",
  markdown: "*.{md,markdown,mdx}",
  md: "*.{md,markdown,mdx}",
  py: "*.{py,pyi}",
  python: "*.{py,pyi}",
  ruby: "*.{rb,gemspec}",
  rust: "*.rs",
  sh: "*.{sh,bash,zsh}",
  ts: "*.{ts,tsx,mts,cts}",
  typescript: "*.{ts,tsx,mts,cts}",
  yaml: "*.{yaml,yml}",
};

export function globOfType(type: string): string {
  return Object.hasOwn(GLOBS, type) ? GLOBS[type]! : `*.${type.replace(/[^\w+-]/g, "")}`;
}
