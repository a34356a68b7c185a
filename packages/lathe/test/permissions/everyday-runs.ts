// Twenty everyday runs: the calls of each, in order. The project is a small npm package in a git repository with a
// local remote.

/** A command of the shell tool, or a call of another one. */
export type RunStep = string | { readonly name: string; readonly args: Readonly<Record<string, unknown>> };

export interface EverydayRun {
  readonly title: string;
  readonly steps: readonly RunStep[];
}

const read = (file_path: string): RunStep => ({ name: "read_file", args: { file_path } });
const grep = (pattern: string): RunStep => ({ name: "grep", args: { pattern } });
const write = (file_path: string, content: string): RunStep => ({ name: "write_file", args: { file_path, content } });
const edit = (file_path: string, old_string: string, new_string: string): RunStep => ({
  name: "edit_file",
  args: { file_path, old_string, new_string },
});

export const EVERYDAY_RUNS: readonly EverydayRun[] = [
  {
    title: "fix a failing test",
    steps: ["npm test", read("src/sum.js"), edit("src/sum.js", "a + b", "b + a"), "npm test", "git diff --stat"],
  },
  {
    title: "add a feature with its test",
    steps: [
      "git status --short",
      read("src/sum.js"),
      write("src/product.js", "export const product = (a, b) => a * b;\n"),
      write("test/product.test.js", "import '../src/product.js';\n"),
      "npm test",
      "git diff",
    ],
  },
  {
    title: "rebase on the main branch",
    steps: ["git status", "git fetch origin", "git log --oneline -5", "git rebase origin/main", "git log --oneline -3"],
  },
  {
    title: "release a version",
    steps: [
      "git status --short",
      "npm test",
      "npm version patch --no-git-tag-version",
      "cat package.json",
      "git diff package.json",
    ],
  },
  {
    title: "look around",
    steps: ["ls -la", "git log --oneline -10", "wc -l src/*.js", grep("sum"), "head -20 README.md"],
  },
  {
    title: "commit what is done",
    steps: ["git status --short", "git add -A", 'git commit -m "Explain the sum"', "git log -1 --stat"],
  },
  { title: "push a branch", steps: ["git checkout -b topic", "git push -u origin topic", "git branch -vv"] },
  {
    title: "rename a function",
    steps: [grep("sum"), "git mv src/sum.js src/add.js", "npm test", "git status --short"],
  },
  {
    title: "find out who changed a line",
    steps: ["git blame src/sum.js", "git show --stat HEAD", "git log -p -1 -- src/sum.js"],
  },
  { title: "type-check and lint", steps: ["npm run lint", "npm run lint -- --fix", "git diff --stat"] },
  {
    title: "build and look at the result",
    steps: ["npm run build", "ls -la dist", "du -sh dist", "cat dist/out.js | head -5"],
  },
  {
    title: "debug with a script",
    steps: [
      write("scratch.js", "console.log(1 + 1)\n"),
      "node scratch.js",
      "node scratch.js --verbose",
      "cat scratch.js",
    ],
  },
  {
    title: "update the documentation",
    steps: [
      read("README.md"),
      edit("README.md", "# sample", "# Sample"),
      "git diff README.md",
      "grep -n Sample README.md",
    ],
  },
  {
    title: "write a changelog",
    steps: [
      "git log --oneline --no-merges -20",
      "git describe --tags --always",
      write("CHANGELOG.md", "# 1.0.0\n"),
      "git add CHANGELOG.md",
    ],
  },
  {
    title: "compare branches",
    steps: ["git branch -a", "git diff --stat origin/main...HEAD", "git log origin/main..HEAD --oneline"],
  },
  { title: "run one test again and again", steps: Array.from({ length: 3 }, () => "node --test test/sum.test.js") },
  {
    title: "search a large tree",
    steps: [
      "find . -name '*.js' -not -path './node_modules/*'",
      "grep -rn 'export' src | sort | uniq -c | head",
      "sed -n 1,20p src/sum.js",
      "find . -type f | wc -l",
    ],
  },
  {
    title: "work in a folder below",
    steps: ["cd src && ls", "cd src && cat sum.js", "mkdir -p src/deep", "touch src/deep/a.js", "ls -R src"],
  },
  {
    title: "stash, look and go back",
    steps: [edit("README.md", "# sample", "# other"), "git stash", "git log -1", "git stash pop", "git diff --stat"],
  },
  {
    title: "look at the machine",
    steps: ["node --version", "uname -a", "pwd", "which git", "date", "npm ls --depth=0"],
  },
];
