// Read-only git subcommands, with their permitted options.

const REVISIONS =
  "-# -n: -i -E -F -P -g --all --branches? --tags? --remotes? --glob= --exclude= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --fixed-strings --perl-regexp --extended-regexp --merges --no-merges --first-parent --min-parents= --max-parents= --not --reverse --topo-order --date-order --author-date-order --ancestry-path? --boundary --left-right --left-only --right-only --cherry --cherry-mark --cherry-pick --walk-reflogs --simplify-by-decoration --full-history --dense --sparse --stdin --count --no-walk? --follow --source --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --mailmap --use-mailmap --log-size --graph --no-graph --oneline --abbrev-commit --no-abbrev-commit --abbrev? --no-abbrev --pretty? --format= --date= --relative-date --parents --children --show-linear-break? --notes? --no-notes --encoding= --clear-decorations";

// Without `--submodule` and `--recurse-submodules` of `git grep`, which look into repositories that only older commits
// name.
const DIFFS =
  "-a -b -c -B? -C? -M? -p -q -r -R -s -t -u -w -W -z -D -G: -l: -L: -O:< -S: -U: --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --cumulative --summary --name-only --name-status --compact-summary --patch-with-raw --patch-with-stat --patience --histogram --minimal --indent-heuristic --no-indent-heuristic --anchored= --diff-algorithm= --diff-filter= --find-renames? --find-copies? --find-copies-harder --no-renames --rename-empty --break-rewrites? --irreversible-delete --pickaxe-all --pickaxe-regex --relative? --no-relative --text --unified= --word-diff? --word-diff-regex= --color-words? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --ws-error-highlight= --full-index --binary --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --inter-hunk-context= --function-context --exit-code --quiet --check --ignore-all-space --ignore-blank-lines --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-matching-lines= --ignore-submodules? --no-ext-diff --no-textconv --combined-all-paths --cc --diff-merges= --output-indicator-new= --output-indicator-old= --output-indicator-context= --skip-to= --rotate-to= --max-depth=";

const LISTS =
  "--sort= --format= --contains~ --no-contains~ --merged~ --no-merged~ --points-at= --color? --no-color --column? --no-column -i --ignore-case --omit-empty";

export interface HarmlessGit {
  readonly options: string;
  readonly most?: number;
  readonly least?: number;
  /** What the first operand must match. */
  readonly first?: RegExp;
  /** With one of these options it lists, and its operands are patterns. */
  readonly lists?: readonly string[];
}

const LISTING = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

export const HARMLESS_GIT: Readonly<Record<string, HarmlessGit>> = {
  status: {
    options:
      "-sbuvz --short --branch --show-stash --porcelain? --long --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames? --verbose",
  },
  log: { options: `${REVISIONS} ${DIFFS}` },
  show: { options: `${REVISIONS} ${DIFFS}` },
  whatchanged: { options: `${REVISIONS} ${DIFFS}` },
  diff: { options: `${DIFFS} --cached --staged --merge-base --no-index -1 -2 -3 --base --ours --theirs -0` },
  "diff-tree": { options: `${REVISIONS} ${DIFFS} --root --merge-base --no-commit-id -m` },
  "diff-index": { options: `${DIFFS} --cached --merge-base -m` },
  "diff-files": { options: DIFFS },
  "range-diff": { options: `${DIFFS} --creation-factor= --no-dual-color --left-only --right-only` },
  shortlog: { options: `${REVISIONS.replace("-n: ", "")} -csne -w? --summary --numbered --email --group=` },
  blame: {
    options:
      "-bcefhlnpstw -C? -M? -L: -S:< --root --show-stats --porcelain --line-porcelain --incremental --date= --show-name --show-number --show-email --abbrev? --since= --first-parent --reverse --ignore-rev= --color-lines --color-by-age",
  },
  annotate: { options: "-L: -l -w" },
  "rev-parse": {
    options:
      "-q --abbrev-ref? --symbolic --symbolic-full-name --short? --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --all --branches? --tags? --remotes? --revs-only --no-revs --flags --no-flags --default= --not --show-object-format? --path-format= --local-env-vars",
  },
  "rev-list": { options: `${REVISIONS} --objects --disk-usage? --use-bitmap-index --header --timestamp --quiet` },
  "ls-files": {
    options:
      "-cdikmostuvzf -x: -X:< --cached --deleted --modified --others --ignored --stage --directory --no-empty-directory --unmerged --killed --exclude= --exclude-from=< --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules --abbrev? --eol --deduplicate --format=",
  },
  "ls-tree": {
    options: "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=",
  },
  "cat-file": {
    options: "-e -p -s -t --batch-check? --batch-all-objects --buffer --unordered --follow-symlinks",
  },
  "merge-base": { options: "-a --all --octopus --independent --is-ancestor --fork-point" },
  "name-rev": { options: "--tags --refs= --exclude= --all --name-only --no-undefined --always" },
  describe: {
    options:
      "--dirty? --broken? --all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent",
  },
  "for-each-ref": { options: `${LISTS} --count= --shell --perl --python --tcl --exclude=` },
  "show-ref": {
    options: "-dhqs --head --heads --branches --tags --dereference --hash? --verify --exists --abbrev? --quiet",
  },
  "show-branch": {
    options:
      "-ar --all --remotes --current --topo-order --date-order --sparse --more? --list --independent --merge-base --no-name --sha1-name --topics --reflog? --color? --no-color",
  },
  "symbolic-ref": { options: "-q --quiet --short", most: 1 },
  cherry: { options: "-v --abbrev?" },
  "count-objects": { options: "-vH --verbose --human-readable" },
  "check-ignore": { options: "-qvzn --quiet --verbose --stdin --non-matching --no-index" },
  "check-attr": { options: "-az --all --cached --stdin --source=" },
  grep: {
    options:
      "-aivwhHlLcnoEGFPWpqzr -# -A: -B: -C: -e: -m: --cached --no-index --untracked --no-exclude-standard --exclude-standard --text --ignore-case --max-depth= --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --max-count= --threads= --and --or --not --all-match --quiet",
  },
  var: { options: "-l" },
  version: { options: "--build-options" },
  help: { options: "-ag --all --guides", most: 1, first: /^[a-z][a-z-]*$/ },
  fsck: {
    options:
      "--no-dangling --unreachable --dangling --root --tags --full --strict --verbose --progress --no-progress --connectivity-only --no-reflogs",
  },
  // These can also make changes, without these options or with other words.
  branch: {
    options: `-a -r -v -l --all --remotes --verbose --list --show-current --abbrev? --no-abbrev ${LISTS}`,
    most: 0,
    lists: LISTING,
  },
  tag: { options: `-l -n? --list ${LISTS}`, most: 0, lists: [...LISTING, "-n"] },
  remote: { options: "-v --verbose --all --push", first: /^get-url$/ },
  stash: { options: `${DIFFS} --include-untracked --only-untracked`, first: /^(?:list|show)$/, least: 1 },
  worktree: { options: "--porcelain -v --verbose -z", first: /^list$/ },
  reflog: { options: `${REVISIONS} ${DIFFS}`, first: /^(?:show|list|HEAD|[\w/.-]+@\{\S+\})$/ },
  notes: { options: "", first: /^(?:list|show)$/ },
  bisect: { options: "", first: /^log$/, least: 1 },
  config: {
    options:
      "-l -z --list --get --get-all --get-regexp --show-origin --show-scope --name-only --null --local --global --system --worktree --type= --bool --int --path --default=",
    most: 1,
    first: /\./,
  },
};

/** Only changes the index; committing is judged separately. */
export const HARMLESS_GIT_ADD =
  "-AnuvN -k --all --no-ignore-removal --ignore-removal --dry-run --update --verbose --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse";
