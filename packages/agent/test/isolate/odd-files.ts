// Work that is easily lost on its way out of a view. Each row has its own folder: what is there before, what is done to
// it in the view, and what cannot land and must be named.

export interface OddWork {
  readonly before?: string;
  readonly work: string;
  /** Paths below the row's folder that do not land, with the given reason. */
  readonly named?: Readonly<Record<string, string>>;
  /** A worktree shows no ignored files and keeps a repository's folder, so nothing should be named there. */
  readonly notInWorktree?: boolean;
}

export const ODD_WORK: Readonly<Record<string, OddWork>> = {
  "folder-to-file": { before: "mkdir -p d/e; echo x > d/x; echo y > d/e/y", work: "rm -r d; echo f > d" },
  "file-to-folder": { before: "echo f > f", work: "rm f; mkdir -p f/g; echo x > f/x; echo y > f/g/y" },
  "folder-to-link": { before: "mkdir d; echo x > d/x; echo a > a", work: "rm -r d; ln -s a d" },
  "link-to-folder": { before: "echo a > a; ln -s a l", work: "rm l; mkdir l; echo x > l/x" },
  "link-to-folder-swapped": { before: "mkdir a; echo a > a/x; ln -s a l", work: "rm l; mkdir l; echo x > l/x" },
  "deleted-folder": { before: "mkdir -p d/e; echo x > d/x; echo y > d/e/y; echo k > keep", work: "rm -r d" },
  "folder-made-again": {
    before: "mkdir d; echo x > d/x; echo y > d/y",
    work: "rm -r d; mkdir d; echo z > d/z; echo 2 > d/y",
  },
  "renamed-folder": { before: "mkdir d; echo x > d/x", work: "mv d e" },
  links: {
    before: "echo a > a; ln -s a changed; ln -s a removed; ln -s a to-file; echo f > from-file",
    work: "ln -s a made; ln -s none dangling; ln -s -- -dash dash; ln -sfn none changed; rm removed; rm to-file; echo f > to-file; ln -sfn a from-file",
  },
  hidden: { before: "echo x > .x", work: "echo 2 > .x; mkdir .h; echo h > .h/.i" },
  ignored: {
    before: "echo 1 > changed.log; echo 1 > same.log; mkdir out; echo 1 > out/1",
    work: "echo 2 > changed.log; echo made > made.log; mkdir -p build/deep; echo b > build/deep/b; mkdir -p more; echo m > more/m.log",
    named: { "changed.log": "ignored", "made.log": "ignored", build: "ignored", "more/m.log": "ignored" },
  },
  "ignored-and-removed": {
    before: "echo 1 > gone.log; mkdir -p d; echo 1 > d/x; echo 1 > d/x.log",
    work: "rm gone.log; rm -r d",
    named: { "gone.log": "ignored", d: "ignored" },
    notInWorktree: true,
  },
  personal: { work: "echo mine > x.mine", named: { "x.mine": "ignored" } },
  "no-longer-ignored": { before: "echo 1 > .env.log", work: "echo '!*.log' > .gitignore; echo 2 > new.log" },
  sparse: { work: "truncate -s 1M hole; printf end >> hole" },
  large: { work: "truncate -s 65M large", named: { large: "large" } },
  special: {
    before: "echo p > pipe",
    work: "mkfifo new-pipe; rm pipe; mkfifo pipe; echo x > beside",
    named: { "new-pipe": "special", pipe: "special" },
  },
  names: {
    before: "echo 1 > ':(glob)x'",
    work: `echo 1 > 'two
lines'; echo 1 > '"quoted"'; echo 1 > 'back\\slash'; echo 1 > ./-dash; echo 1 > 'end '; echo 1 > '[a]*?'; echo 2 > ':(glob)x'; echo 1 > 'ü'; echo 1 > ' '`,
  },
  "bad-names": { work: "echo 1 > \"$(printf 'x\\377')\"; echo ok > ok", named: { "x\uFFFD": "name" } },
  "case-only": { before: "echo 1 > Name", work: "mv Name name" },
  modes: {
    before: "echo 1 > on; echo 1 > off; chmod +x off",
    work: "chmod +x on; chmod -x off; echo 1 > new; chmod +x new",
  },
  "empty-folder": { before: "echo k > keep", work: "mkdir -p hollow/inner", named: { hollow: "empty" } },
  converted: {
    before:
      "printf '*.txt text eol=crlf\\n*.bin filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes; printf 'a\\r\\n' > a.txt; printf 'b\\n' > b.bin",
    work: "printf 'b\\r\\n' >> a.txt; printf 'lf\\n' > lf.txt; printf 'c\\n' > b.bin; printf 'd\\n' > d.bin",
  },
  "same-size": { before: "echo 1 > n", work: "echo 2 > n" },
  unseen: {
    before:
      "echo 1 > assumed; echo 1 > skipped; git add .; git update-index --assume-unchanged assumed; git update-index --skip-worktree skipped",
    work: "echo 22 > assumed; echo 22 > skipped",
  },
  "made-repository": {
    work: "mkdir made empty-one; echo x > made/x; git -C made init -q; git -C made add .; git -C made commit -qm x; git -C empty-one init -q; echo x > empty-one/x",
    named: { made: "repository", "empty-one": "repository" },
  },
  nested: {
    before: "mkdir kept; echo 1 > kept/n; git -C kept init -q; git -C kept add .; git -C kept commit -qm x",
    work: "echo 22 > kept/n; mkfifo kept/pipe; echo 1 > kept/new",
    named: { "kept/pipe": "special" },
  },
  "nested-removed": {
    before: "mkdir gone; echo 1 > gone/n; git -C gone init -q; git -C gone add .; git -C gone commit -qm x",
    work: "rm -rf gone || :",
    named: { gone: "repository" },
    notInWorktree: true,
  },
  "nested-no-more": {
    before: "mkdir bare; echo 1 > bare/n; git -C bare init -q; git -C bare add .; git -C bare commit -qm x",
    work: "rm -rf bare/.git; echo 22 > bare/n",
  },
};
