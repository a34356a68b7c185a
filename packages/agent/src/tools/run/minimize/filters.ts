// What programs print when all is well, as data: for each program, the lines that only report success or progress. A
// line that could be about a failure is kept whatever these say (`isTelling`).

/** The lines of a program that may be omitted. */
export interface OutputFilter {
  readonly name: string;
  /** Matches the program's name in a shell text, with the relevant subcommands. */
  readonly command: RegExp;
  /** Patterns for whole lines without trailing blanks. */
  readonly drops: readonly RegExp[];
}

const filter = (name: string, command: RegExp, ...drops: readonly RegExp[]): OutputFilter => ({ name, command, drops });

/** Words before a program that only say how to run it. */
const BEFORE = String.raw`(?:\w+=\S*|time|env|sudo|nice|exec|command|xvfb-run|timeout(?: +-\S+)* +\S+|npx(?: +-\S+)*|pnpm exec|yarn exec|bunx|corepack|(?:poetry|uv|pipenv|hatch) +run|python[\d.]* +-m)`;

/** Where a command begins, optionally with a folder before its name. */
const program = (names: string): RegExp =>
  new RegExp(String.raw`(?:^|[;&|(\n]) *(?:${BEFORE} +)*(?:[^\s;&|()]*/)?(?:${names})(?![\w.-])`);

const PASSED_MARK = /^\s*(?:✓|✔|√) .*$/;
const TIMING = String.raw`(?: +\(?\d[\d.]* ?(?:ms|s|m)\)?)?`;

/** Test runners, compilers, package managers and git. */
export const FILTERS: readonly OutputFilter[] = [
  filter("vitest", program("vitest"), PASSED_MARK),
  filter("jest", program("jest|react-scripts"), PASSED_MARK, /^PASS .*$/),
  filter("mocha", program("mocha|ava|tap|cypress|playwright"), PASSED_MARK, /^\s*ok +\d+ .*\(\d[\d.]*m?s\)$/),
  filter(
    "node --test",
    program("node|tsx|tap"),
    PASSED_MARK,
    /^\s*▶ .*\(\d[\d.]*ms\)$/,
    /^\s*ok \d+ - .*$/,
    /^\s*# Subtest: .*$/,
    /^\s+duration_ms: [\d.]+$/,
    /^\s+type: '(?:test|suite)'$/,
    // Delimiters around omitted details, and around those of a failure, which are kept.
    /^\s+(?:---|\.\.\.)$/,
  ),
  filter("bun test", program("bun"), PASSED_MARK, /^\(pass\) .*$/),
  filter("deno test", program("deno"), new RegExp(String.raw`^.* \.\.\. ok${TIMING}$`)),
  filter(
    "unittest",
    program(String.raw`python[\d.]*|nose2|tox|manage\.py`),
    /^.* \.\.\. ok$/,
    /^\.{2,}$/,
    /^\w+ \([\w.<>]+\)$/,
  ),
  filter(
    "pytest",
    program(String.raw`pytest|py\.test|tox|python[\d.]*`),
    /^\S+\.py \.+(?: +\[ *\d+%\])?$/,
    /^\.+(?: +\[ *\d+%\])?$/,
    /^\S+::\S.* PASSED(?: +\[ *\d+%\])?$/,
    /^\[gw\d+\] \[ *\d+%\] PASSED .*$/,
  ),
  filter("go test", program("go"), /^\s*=== (?:RUN|PAUSE|CONT) .*$/, /^\s*--- PASS: .*$/, /^ok {2}\t.*$/, /^\? +\t.*$/),
  filter("go build", program("go"), /^go: downloading .*$/),
  filter(
    "cargo",
    program("cargo"),
    /^\s*(?:Compiling|Checking|Downloading|Downloaded|Fresh|Updating|Locking|Adding) .*$/,
    /^test .* \.\.\. ok$/,
  ),
  filter("rspec, phpunit", program("rspec|phpunit|rake|artisan"), /^\.+(?: +\d+ \/ \d+ \( *\d+%\))?$/, PASSED_MARK),
  filter("dotnet", program("dotnet"), /^\s*Passed \S.*\[.*\]$/, /^\s*Restored .*$/, /^\s*\S+ -> \/.*$/),
  filter(
    "maven, gradle",
    program("mvnw?|gradlew?|sbt"),
    /^(?:\[INFO\] )?Download(?:ing|ed)(?: from \S+)?: .*$/,
    /^Progress \(\d+\): .*$/,
    /^> Task :\S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE))?$/,
  ),
  filter(
    "tsc",
    program("tsc|vue-tsc|tsgo"),
    /^TSFILE: .*$/,
    /^\[?[\d:]+ ?[AP]?M?\]? (?:-|Project) .*(?:is up to date|Building project|Starting compilation).*$/,
    /^\/.*\.d\.[cm]?ts$/,
  ),
  filter(
    "cmake, ninja",
    program("cmake|make|ninja|meson"),
    /^\[ *\d+%\] (?:Building|Linking|Generating|Built|Scanning|Automatic) .*$/,
    /^\[\d+\/\d+\] (?:Building|Linking|Compiling|Generating) .*$/,
    /^make(?:\[\d+\])?: (?:Entering|Leaving) directory .*$/,
    /^-- (?:Looking for|Performing Test|Check for|Detecting) .*$/,
  ),
  filter(
    "vite, webpack",
    program("vite|webpack|rollup|turbo|nx|lerna"),
    /^(?:transforming|rendering chunks).*\.\.\.$/,
    /^asset \S+ .* \[emitted\].*$/,
  ),
  filter(
    "npm",
    program("npm|npx"),
    /^npm http .*$/,
    /^npm (?:timing|sill|verb) .*$/,
    /^(?:add|change|remove) \S+ [\d.]+(?: => [\d.]+)?$/,
  ),
  filter(
    "pnpm, yarn",
    program("pnpm|yarn"),
    /^Progress: resolved .*$/,
    /^\++-*$/,
    /^➤ YN00(?:00|13|19): .*$/,
    /^\[\d+\/\d+\] (?:Resolving|Fetching|Linking|Building) .*$/,
  ),
  filter(
    "pip",
    program(String.raw`pip[\d.]*|uv|poetry`),
    /^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Obtaining|Preparing metadata|Getting requirements|Installing build|Building wheel|Created wheel|Stored in)\b.*$/,
    /^\s*[━╸╺ ]*━[━╸╺ ]* .*$/,
    /^ [+~] \S+==\S+$/,
  ),
  filter(
    "apt",
    program("apt|apt-get|dpkg"),
    /^(?:Get|Hit|Fetched|Ign):?\d* .*$/,
    /^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|\(Reading database).*$/,
  ),
  filter(
    "docker",
    program("docker|podman|buildah"),
    /^[0-9a-f]{12}: (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists|Pushed|Preparing)$/,
    /^#\d+ (?:CACHED|DONE [\d.]+s|sha256:.*)$/,
  ),
  filter(
    "git",
    /(?:^|[;&|(\n]) *(?:\w+=\S* +|time +)*git(?: +-\S+(?: +\S*[/=]\S*)?)* +(?:clone|fetch|pull|push|commit|merge|rebase|checkout|switch|gc|repack|submodule|add|am|cherry-pick|worktree|stash|reset|lfs)\b/,
    /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Writing|Checking out|Filtering) (?:objects|deltas|files|content)\b.*$/,
    /^(?:remote: )?Total \d+ \(delta \d+\).*$/,
    /^Updating files: .*$/,
    /^Delta compression using .*$/,
    /^ (?:create|delete) mode \d+ .*$/,
    /^ (?:rename|copy|rewrite) .* \(\d+%\)$/,
    /^ \S.* \| +(?:\d+ [+-]*|Bin .*)$/,
    /^add '.*'$/,
    /^(?:Auto-merging|Applying:) .*$/,
    /^ \* \[new (?:branch|tag)\] .*$/,
  ),
];

/** They run other programs, which the command does not name. */
export const RUNS_OTHERS = program(
  String.raw`(?:npm|pnpm|yarn|bun) +(?:run|test|t|ci|start|exec|build|check|lint|--?\S+|[\w-]+:\S*)|make|just|ninja|tox|nox|rake|turbo|nx|lerna|bazel|\.\S*|(?:(?:ba|z)?sh +)?[\w.-]*\.sh`,
);
