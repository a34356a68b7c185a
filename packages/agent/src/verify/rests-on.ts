// Which files a check rests on (tests, configuration of their runners, scripts, lock files), and what happened to a
// changed one.

import { compileFilter } from "../world/env/search/path-glob.ts";
import type { Change, NamedTest, TestFate } from "./types.ts";

/** Files with tests, and files that tests compare with. */
const TESTS: readonly string[] = [
  ...[
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "__snapshots__",
    "__mocks__",
    "testdata",
    "fixtures",
    "e2e",
    "__fixtures__",
    "golden",
    "goldens",
    "cypress",
  ].flatMap((folder) => [`/${folder}/**`, `**/${folder}/**`]),
  ...["*.test.*", "*.spec.*", "*_test.*", "*_spec.*", "test_*.py", "*-test.*", "test.*", "tests.py"],
  ...[
    "*{Test,Tests}.{java,kt,kts,scala,groovy,cs,fs,vb,php,swift}",
    "*Spec.{scala,groovy,kt}",
    "*IT.java",
    "*.cy.*",
    "*.feature",
    "*.bats",
  ],
  ...["*.snap", "*.snapshot", "*.golden", "*.ambr", "*.approved.*"],
];

/** Files that decide which tests run, and how. */
const CONFIGURATION: readonly string[] = [
  ...[
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "noxfile.py",
  ],
  ...["pyproject.toml", ".coveragerc", "pytest.py", "unittest.py", "/pytest/**", "/_pytest/**", "/unittest/**"],
  ...["package.json", "deno.json*", "bunfig.toml", ".npmrc", ".yarnrc*", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  ...["{vitest,vite,jest,mocha,ava,karma,playwright,cypress,babel,webpack,rollup,tap,c8,nyc}.config*.*"],
  ...["vitest.workspace.*", ".{mocharc,babelrc,swcrc,taprc,c8rc,nycrc,jestrc}*", "*.{setup,teardown}.*"],
  ...["{setupTests,jest-setup,jest.setup,vitest-setup,test-setup,setup-tests,test_helper,spec_helper}*"],
  ...["{karma,protractor,wdio,nightwatch,testem,wallaby}.conf*.*", "jasmine.json", "cypress.json", "wallaby.js"],
  ...[
    "nx.json",
    "turbo.json",
    "lerna.json",
    ".rspec",
    ".simplecov",
    "Gemfile",
    "phpunit.xml*",
    "behat.y*ml",
    "mix.exs",
  ],
  ...["tsconfig*.json", ".eslintrc*", "eslint.config.*", "biome.json*", "ruff.toml", ".ruff.toml", "mypy.ini"],
  ...[".flake8", ".pylintrc", "pylintrc", "pyrightconfig.json", ".stylelintrc*", ".prettierrc*", "tslint.json"],
  ...[".golangci.*", "{clippy,rustfmt,.rustfmt,.clippy}.toml", ".config/nextest.toml"],
  ...[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "*.mk",
    "Justfile",
    "justfile",
    "Taskfile.y*ml",
    "Rakefile",
    "CMakeLists.txt",
  ],
  ...["Cargo.toml", ".cargo/config*", "rust-toolchain*", "go.work", "pom.xml", "build.gradle*", "settings.gradle*"],
  ...[
    "gradle.properties",
    "{gradlew,mvnw}",
    "/.mvn/**",
    "/gradle/**",
    "build.sbt",
    "*.runsettings",
    "Directory.Build.*",
  ],
  ...[".bazelrc", "MODULE.bazel", "WORKSPACE*", "BUILD", "BUILD.bazel", "CTestConfig.cmake", "meson.build"],
  ...[".env", ".env.*", ".envrc", ".tool-versions", ".nvmrc", ".python-version", ".gitattributes"],
  ...[
    "*.sh",
    "*.bash",
    "/scripts/**",
    "/script/**",
    "/bin/**",
    "/ci/**",
    "/.ci/**",
    "/.github/workflows/**",
    "/.husky/**",
  ],
];

/** They belong to a manifest: see `manifest.ts`. */
const LOCKS: readonly string[] = [
  ...["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
  ...["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock", "composer.lock"],
];

const SKIPS =
  /\b(?:x?(?:it|test|describe|context|suite|specify)\s*\.\s*(?:skip|only|todo|skipIf|runIf|fails)\b|x(?:it|test|describe)\s*\(|skip\s*:\s*(?:true|["'`])|todo\s*:\s*true|only\s*:\s*true|t\.(?:skip|Skip\w*|todo)\b|pytest\.(?:skip|mark\.(?:skip|xfail)\w*|importorskip)|unittest\.(?:skip\w*|expectedFailure)|skipTest\b|collect_ignore\b|@(?:Ignore|Disabled)\b)|#\[ignore|this\.skip\(|^\s*pending\b/gm;
/** Assertions in a test; a test with fewer of them is weaker. */
const CLAIMS = /\b(?:assert\w*|expect|should|require)\b|!==?|===?/g;
const CATCHES = /\bcatch\b|\bexcept\b|\brescue\b|\|\|\s*(?:true|exit 0|:)/g;

/** Classifies files by their path relative to the root. */
export interface RestsOn {
  /** True if checks rest on it, so that it is restored. */
  isRested(path: string): boolean;
  /** True if it contains tests, or data that tests compare with. */
  isTest(path: string): boolean;
  isLock(path: string): boolean;
  /** True if it decides which tests run, and how; even above the project, where runners look for it too. */
  isConfiguration(path: string): boolean;
}

/** `more`: globs from the user. */
export function restsOn(more: readonly string[] = []): RestsOn {
  const tests = matchAny([...TESTS, ...more]);
  const configuration = matchAny(CONFIGURATION);
  const locks = matchAny(LOCKS);
  // A link may have replaced a whole folder.
  const orInside = (matches: (path: string) => boolean) => (path: string) => matches(path) || matches(`${path}/x`);
  const isTest = orInside(tests);
  return {
    isTest,
    isLock: locks,
    isConfiguration: configuration,
    isRested: (path) => isTest(path) || orInside(configuration)(path) || locks(path),
  };
}

/** True if any of the globs matches. */
export function matchAny(globs: readonly string[]): (path: string) => boolean {
  const filters = globs.map(compileFilter);
  return (path) => filters.some((matches) => matches(path));
}

/** What happened to a file that checks rest on. */
export function fateOf({ before, after }: Pick<Change, "before" | "after">): TestFate {
  if (before.kind === "absent") return "added";
  if (after.kind === "absent") return "deleted";
  if (before.kind !== after.kind || before.kind !== "file" || after.kind !== "file") return "replaced";
  const [old, now] = [before, after].map(({ bytes }) => Buffer.from(bytes).toString("utf8")) as [string, string];
  if (count(now, SKIPS) > count(old, SKIPS)) return "skipped";
  if (count(now, CLAIMS) < count(old, CLAIMS) || count(now, CATCHES) > count(old, CATCHES)) return "weakened";
  return "changed";
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const FATES: Readonly<Record<TestFate, string>> = {
  deleted: "was deleted",
  skipped: "has tests that are skipped now",
  weakened: "was weakened",
  replaced: "was replaced by a link",
  changed: "was changed",
  added: "was added",
};

/** For the user: `a.test.js was deleted, b.test.js was changed`. */
export function fatesText(named: readonly NamedTest[]): string {
  const shown = named.slice(0, 5).map(({ path, fate }) => `${path} ${FATES[fate]}`);
  const more = named.length > 5 ? ` and ${named.length - 5} more` : "";
  return `${shown.join(", ")}${more}`;
}
