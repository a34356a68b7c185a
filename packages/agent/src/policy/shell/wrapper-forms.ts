// The forms of programs that run another program: how to skip the options of each.

export interface Form {
  /** The options that are understood, see options.ts; with any other, we do not look inside. */
  readonly options: string;
  /** Number of words between the options and the program. */
  readonly operands?: number;
  /** The first of these is a file that it creates. */
  readonly makesFile?: boolean;
  /** A file that it appends to if its output is a terminal. */
  readonly appendsTo?: string;
  readonly takesAssignments?: boolean;
  /** Options that name the directory it runs in. */
  readonly directory?: readonly string[];
  readonly isElsewhere?: boolean;
  /** It runs on another machine or under another root. */
  readonly isAway?: boolean;
  /** It joins the words and passes them to a shell. */
  readonly joins?: boolean;
}

export const FORMS: Readonly<Record<string, Form>> = {
  sudo: {
    options:
      "-AbEHknPSv -u: -g: -p: -C: -h: -T: -U: -D: --askpass --background --preserve-env? --set-home --non-interactive --stdin --user= --group= --prompt= --host= --chdir=",
    takesAssignments: true,
    directory: ["-D", "--chdir"],
    isElsewhere: true,
  },
  doas: { options: "-nL -u:", isElsewhere: true },
  env: {
    options: "-i0v -u: -C: --ignore-environment --null --debug --unset= --chdir=",
    takesAssignments: true,
    directory: ["-C", "--chdir"],
  },
  timeout: {
    options: "-v -k: -s: --foreground --preserve-status --verbose --kill-after= --signal=",
    operands: 1,
  },
  gtimeout: { options: "-v -k: -s: --foreground --preserve-status --verbose --kill-after= --signal=", operands: 1 },
  nohup: { options: "", appendsTo: "nohup.out" },
  setsid: { options: "-cfw --ctty --fork --wait" },
  nice: { options: "-# -n: --adjustment=" },
  ionice: { options: "-t -c: -n: --class= --classdata= --ignore" },
  stdbuf: { options: "-i: -o: -e: --input= --output= --error=" },
  chrt: { options: "-bfiorv --batch --fifo --idle --other --rr --verbose", operands: 1 },
  taskset: { options: "-ac --all-tasks --cpu-list", operands: 1 },
  unbuffer: { options: "" },
  caffeinate: { options: "-dimsu -t: -w:" },
  flock: {
    options:
      "-sxeunoF -w: -E: --shared --exclusive --unlock --nonblock --nb --timeout= --wait= --conflict-exit-code= --close --no-fork --verbose",
    operands: 1,
    makesFile: true,
  },
  // Bash parses its own `time` as a reserved word; this is the program.
  time: { options: "-pvq -f: --format= --portability --verbose --quiet" },
  strace: { options: "-cCfFhiknqrtTvVwxyzZ -e: -s: -S: -a: -b: -I: -O: -U: -X:" },
  command: { options: "-p" },
  builtin: { options: "" },
  exec: { options: "-cl -a:" },
  busybox: { options: "" },
  watch: {
    options:
      "-bcdegtpw -n: --beep --color --differences? --errexit --chgexit --no-title --precise --no-wrap --interval=",
    joins: true,
  },
  ssh: {
    options: "-46AaCfGgKkMnqTtVvXxYy -b: -c: -i: -l: -m: -p: -J:",
    operands: 1,
    isElsewhere: true,
    isAway: true,
    joins: true,
  },
  chroot: { options: "--userspec= --groups= --skip-chdir", operands: 1, isElsewhere: true, isAway: true },
  runuser: { options: "-mpP -u: -g: -G: --user= --group= --supp-group=", isElsewhere: true },
  npx: { options: "-yq -p: -w: --yes --no --no-install --quiet --package= --workspace=", isElsewhere: true },
  bunx: { options: "-p: --bun --package= --silent --verbose", isElsewhere: true },
  uvx: { options: "-qv --from= --with= --python= -p: --quiet --verbose --offline", isElsewhere: true },
};

/** Two words that together form a wrapper. */
export const PAIRS: Readonly<Record<string, Form>> = {
  "docker exec": CONTAINER(),
  "podman exec": CONTAINER(),
  "nerdctl exec": CONTAINER(),
  "npm exec": { options: "-y -p: -w: --yes --package= --workspace=", isElsewhere: true },
  "npm x": { options: "-y -p: -w: --yes --package= --workspace=", isElsewhere: true },
  "pnpm exec": { options: "-r --recursive --silent", isElsewhere: true },
  "pnpm dlx": { options: "-s --package= --silent", isElsewhere: true },
  "yarn exec": { options: "", isElsewhere: true },
  "yarn dlx": { options: "-q -p: --package= --quiet", isElsewhere: true },
  "bun x": { options: "--bun --silent", isElsewhere: true },
  "uv run": {
    options:
      "-qv -p: --with= --python= --package= --extra= --group= --frozen --locked --no-sync --offline --all-extras",
    isElsewhere: true,
  },
  "poetry run": { options: "", isElsewhere: true },
  "pipenv run": { options: "", isElsewhere: true },
  "bundle exec": { options: "", isElsewhere: true },
  "gem exec": { options: "-g: -v: --gem= --version= --conservative", isElsewhere: true },
  "composer exec": { options: "", isElsewhere: true },
  "pdm run": { options: "-s --site-packages", isElsewhere: true },
  "hatch run": { options: "", isElsewhere: true },
  "rye run": { options: "", isElsewhere: true },
  "pixi run": { options: "-e: --environment= --frozen --locked", isElsewhere: true },
  "conda run": CONDA(),
  "mamba run": CONDA(),
  "micromamba run": CONDA(),
  "rustup run": { options: "--install", operands: 1, isElsewhere: true },
  "volta run": { options: "--node= --npm= --yarn= --pnpm= --bundled-npm --no-yarn", isElsewhere: true },
  "fnm exec": { options: "--using=", isElsewhere: true },
  ...Object.fromEntries(
    ["asdf", "goenv", "jenv", "nodenv", "pyenv", "rbenv"].map((name) => [
      `${name} exec`,
      { options: "", isElsewhere: true },
    ]),
  ),
};

/** Programs that run the words after `--`, with the subcommands that do so. Without `--`, starts-programs.ts decides. */
export const RUN_AFTER_DASHES: Readonly<Record<string, string>> = {
  kubectl: "exec",
  mise: "exec x",
  opam: "exec",
  tox: "exec",
  doppler: "run",
  op: "run",
  "aws-vault": "exec",
  chamber: "exec",
};

export const PAIRED = new Set(Object.keys(PAIRS).map((pair) => pair.split(" ")[0]));

function CONTAINER(): Form {
  return {
    options: "-dit -u: -w: -e: --detach --interactive --tty --privileged --user= --workdir= --env= --env-file=<",
    operands: 1,
    isElsewhere: true,
    isAway: true,
  };
}

function CONDA(): Form {
  return {
    options: "-v -n: -p: --name= --prefix= --cwd= --no-capture-output --live-stream --verbose",
    directory: ["--cwd"],
    isElsewhere: true,
  };
}
