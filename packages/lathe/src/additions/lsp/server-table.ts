// The table of language servers known without configuration. Every start uses it directly to check whether a folder may
// have one; server-rows.ts makes rows of it.

import type { ServerRow } from "./server-row.ts";

type Extras = Partial<Omit<ServerRow, "name" | "command" | "args" | "fileTypes" | "rootMarkers">>;

const LINTER = { isLinter: true } as const;
const RUNS_CODE = { runsCode: true } as const;
const npm = (packages: string): Extras => ({ install: `npm install -g ${packages}` });

const SCRIPTS = ".ts .tsx .mts .cts .js .jsx .mjs .cjs";
const SCRIPT_ROOTS = "tsconfig.json jsconfig.json package.json";
const PYTHON_ROOTS = "pyproject.toml setup.py setup.cfg requirements.txt Pipfile pyrightconfig.json .git";

/** Turns off automatic downloads of type packages: TypeScript 7 starts npm for them, older versions their server. */
const NO_TYPINGS_7 = { "js/ts": { tsserver: { automaticTypeAcquisition: { enabled: false } } } };
const NO_TYPINGS = { disableAutomaticTypingAcquisition: true, tsserver: { useSyntaxServer: "never" } };

/** Turns off downloads of modules and toolchains. */
const NO_MODULES = { env: { GOPROXY: "off", GOTOOLCHAIN: "local" } };

/** Capabilities of rust-analyzer beyond the protocol, for the action `request`. */
const RUST_EXTRAS = { flycheck: true, ssr: true, expandMacro: true, runnables: true, relatedTests: true };

/** Name, command with arguments, file types, root markers. If two rows fit, the first one is used. */
export const SERVER_TABLE: readonly (readonly [string, string, string, string, Extras?])[] = [
  ["typescript", "tsc --lsp --stdio", SCRIPTS, SCRIPT_ROOTS, { settings: NO_TYPINGS_7, ...npm("typescript@7") }],
  [
    "typescript-language-server",
    "typescript-language-server --stdio",
    SCRIPTS,
    SCRIPT_ROOTS,
    { ...RUNS_CODE, initOptions: NO_TYPINGS, ...npm("typescript-language-server typescript@5") },
  ],
  ["denols", "deno lsp", SCRIPTS, "deno.json deno.jsonc", { initOptions: { enable: true, cacheOnSave: false } }],
  ["rust-analyzer", "rust-analyzer", ".rs", "Cargo.toml rust-project.json", { ...RUNS_CODE, extras: RUST_EXTRAS }],
  [
    "clangd",
    "clangd",
    ".c .h .cc .cpp .cxx .hh .hpp .m .mm",
    "compile_commands.json compile_flags.txt .clangd CMakeLists.txt Makefile",
    { readsDisk: true, otherNames: [22, 21, 20, 19, 18, 17, 16, 15, 14].map((version) => `clangd-${version}`) },
  ],
  ["zls", "zls", ".zig .zon", "build.zig", RUNS_CODE],
  [
    "gopls",
    "gopls",
    ".go",
    "go.mod go.work",
    {
      ...RUNS_CODE,
      publishesChanges: true,
      settings: { gopls: NO_MODULES },
      install: "go install golang.org/x/tools/gopls@latest",
    },
  ],
  ["pyright", "pyright-langserver --stdio", ".py .pyi", PYTHON_ROOTS, npm("pyright")],
  ["basedpyright", "basedpyright-langserver --stdio", ".py .pyi", PYTHON_ROOTS, npm("basedpyright")],
  ["pylsp", "pylsp", ".py .pyi", PYTHON_ROOTS, RUNS_CODE],
  ["ruff", "ruff server", ".py .pyi", `ruff.toml .ruff.toml ${PYTHON_ROOTS}`, LINTER],
  ["biome", "biome lsp-proxy", `${SCRIPTS} .json .jsonc .css`, "biome.json biome.jsonc", LINTER],
  [
    "eslint",
    "vscode-eslint-language-server --stdio",
    `${SCRIPTS} .vue .svelte`,
    "eslint.config.* .eslintrc*",
    { ...LINTER, ...RUNS_CODE, settings: { validate: "on", run: "onType", nodePath: null } },
  ],
  ["vscode-html-language-server", "vscode-html-language-server --stdio", ".html .htm", "package.json index.html"],
  ["vscode-css-language-server", "vscode-css-language-server --stdio", ".css .scss .less", "package.json"],
  ["vscode-json-language-server", "vscode-json-language-server --stdio", ".json .jsonc", "package.json .git"],
  ["tailwindcss", "tailwindcss-language-server --stdio", ".html .css .tsx .jsx", "tailwind.config.*", RUNS_CODE],
  ["svelte", "svelteserver --stdio", ".svelte", "svelte.config.*", RUNS_CODE],
  ["vue-language-server", "vue-language-server --stdio", ".vue", "vite.config.* vue.config.* nuxt.config.*", RUNS_CODE],
  ["astro", "astro-ls --stdio", ".astro", "astro.config.*", RUNS_CODE],
  ["jdtls", "jdtls", ".java", "pom.xml build.gradle build.gradle.kts .project", RUNS_CODE],
  ["kotlin-lsp", "kotlin-lsp --stdio", ".kt .kts", "build.gradle build.gradle.kts pom.xml", RUNS_CODE],
  ["metals", "metals", ".scala .sbt .sc", "build.sbt build.sc", RUNS_CODE],
  ["hls", "haskell-language-server-wrapper --lsp", ".hs .lhs", "*.cabal stack.yaml cabal.project hie.yaml", RUNS_CODE],
  ["ocamllsp", "ocamllsp", ".ml .mli .mll .mly", "dune-project *.opam", RUNS_CODE],
  ["elixirls", "elixir-ls", ".ex .exs .heex", "mix.exs", RUNS_CODE],
  ["erlangls", "erlang_ls", ".erl .hrl", "rebar.config erlang.mk", RUNS_CODE],
  ["gleam", "gleam lsp", ".gleam", "gleam.toml", RUNS_CODE],
  ["ruby-lsp", "ruby-lsp", ".rb .rake .gemspec", "Gemfile", RUNS_CODE],
  ["solargraph", "solargraph stdio", ".rb .rake .gemspec", "Gemfile .solargraph.yml", RUNS_CODE],
  ["rubocop", "rubocop --lsp", ".rb .rake", ".rubocop.yml", { ...LINTER, ...RUNS_CODE }],
  [
    "bashls",
    "bash-language-server start",
    ".sh .bash .zsh",
    ".git",
    { settings: { bashIde: { shellcheckExternalSources: false } }, ...npm("bash-language-server") },
  ],
  ["lua-language-server", "lua-language-server", ".lua", ".luarc.json .luarc.jsonc stylua.toml", RUNS_CODE],
  ["intelephense", "intelephense --stdio", ".php", "composer.json index.php", npm("intelephense")],
  ["phpactor", "phpactor language-server", ".php", "composer.json .phpactor.json .phpactor.yml", RUNS_CODE],
  ["omnisharp", "omnisharp -lsp", ".cs", "*.sln *.csproj", RUNS_CODE],
  ["yamlls", "yaml-language-server --stdio", ".yaml .yml", ".git", npm("yaml-language-server")],
  ["terraformls", "terraform-ls serve", ".tf .tfvars", ".terraform *.tf", RUNS_CODE],
  ["dockerls", "docker-langserver --stdio", "Dockerfile Containerfile .dockerfile", "Dockerfile Containerfile"],
  ["helm-ls", "helm_ls serve", ".yaml .tpl", "Chart.yaml"],
  ["nixd", "nixd", ".nix", "flake.nix default.nix shell.nix", RUNS_CODE],
  ["nil", "nil", ".nix", "flake.nix default.nix shell.nix"],
  ["ols", "ols", ".odin", "ols.json"],
  ["dartls", "dart language-server", ".dart", "pubspec.yaml", RUNS_CODE],
  ["marksman", "marksman server", ".md", ".marksman.toml"],
  ["texlab", "texlab", ".tex .bib", ".latexmkrc texlab.toml .texlabroot"],
  ["graphql", "graphql-lsp server -m stream", ".graphql .gql", ".graphqlrc* graphql.config.*", RUNS_CODE],
  ["prismals", "prisma-language-server --stdio", ".prisma", "schema.prisma prisma/schema.prisma"],
  ["vimls", "vim-language-server --stdio", ".vim", ".vimrc autoload plugin"],
  ["emmet-language-server", "emmet-language-server --stdio", ".html .css .jsx .tsx", ".emmetrc.json", LINTER],
  ["sourcekit-lsp", "sourcekit-lsp", ".swift", "Package.swift", RUNS_CODE],
  ["swiftlint", "swiftlint lsp", ".swift", ".swiftlint.yml", LINTER],
  ["tlaplus", "tlapm_lsp --stdio", ".tla", "*.tla"],
];

/** Names that nearly every folder has and that imply no language. */
export const EVERYWHERE: readonly string[] = [".git", "package.json"];
