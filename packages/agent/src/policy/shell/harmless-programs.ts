// Everyday commands that change nothing, or only the files they name: program, understood options, meaning of operands.
// Programs that can run others, write files that are not listed as written, open files that none of their words names,
// or reach the network are not listed; so interpreters, test runners and package scripts never are.

import { MACHINE } from "./harmless-machine.ts";
import type { HarmlessProgram } from "./harmless-program.ts";

const ALL = "*";

const GREP =
  "-EFGPivwxyclLqsohHnTZzabrRIU0 -# -A: -B: -C: -e: -f:< -m: -d: -D: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=< --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --null-data --after-context= --before-context= --context= --text --binary-files= --devices= --directories= --exclude= --exclude-from=< --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --binary";

/** One program with several names, or several that are called in the same way. */
const alike = (names: string, entry: HarmlessProgram): Record<string, HarmlessProgram> =>
  Object.fromEntries(names.split(" ").map((name) => [name, entry]));

export const HARMLESS: Readonly<Record<string, HarmlessProgram>> = {
  // Shell builtins; those that assign variables are in builtins.ts.
  ":": { options: ALL, operands: "text" },
  true: { options: ALL, operands: "text" },
  false: { options: ALL, operands: "text" },
  echo: { options: ALL, operands: "text" },
  printf: { options: "--", operands: "text" },
  pwd: { options: "-LP", operands: "none" },
  cd: { options: "-LPe@", operands: "text" },
  exit: { options: ALL, operands: "text" },
  return: { options: ALL, operands: "text" },
  break: { options: ALL, operands: "text" },
  continue: { options: ALL, operands: "text" },
  shift: { options: ALL, operands: "text" },
  type: { options: "-aftpP", operands: "text" },
  command: { options: "-vVp", operands: "text" },
  which: { options: "-as --all", operands: "text" },
  whereis: { options: "-bmsu", operands: "text" },
  hash: { options: "-r", operands: "none" },
  wait: { options: "-n", operands: "text" },
  jobs: { options: "-lnprs", operands: "text" },
  times: { options: "", operands: "none" },
  umask: { options: "-pS", operands: "none" },
  dirs: { options: "-clpv", operands: "none" },
  sleep: { options: "", operands: "text" },
  // Programs that read files.
  ls: {
    options:
      "-aAbBcCdDfFgGhHiIklLmnNopqQrRsStuUvxXZ1 -I: -T: -w: --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero",
    isLenient: true,
    operands: "read",
  },
  cat: {
    options:
      "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    isLenient: true,
    operands: "read",
  },
  head: {
    options: "-c: -n: -qvz -# --bytes= --lines= --quiet --silent --verbose --zero-terminated",
    isLenient: true,
    operands: "read",
  },
  tail: {
    options:
      "-c: -n: -qvzfFr -s: -# --bytes= --lines= --quiet --silent --verbose --follow? --retry --sleep-interval= --pid=",
    isLenient: true,
    operands: "read",
  },
  // Without a terminal they print the file. A word that begins with + is a command to them.
  less: { options: "-EFIKMNQRSXeimnqrs", operands: "read", each: /^[^+]/ },
  more: { options: "-# -cdflpsu", operands: "read", each: /^[^+]/ },
  zipinfo: { options: "-12smlvhMtTzC", operands: "read", most: 1 },
  wc: {
    options: "-clmwL --bytes --chars --lines --words --max-line-length --total=",
    operands: "read",
  },
  nl: { options: "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:", isLenient: true, operands: "read" },
  tac: { options: "-br -s:", isLenient: true, operands: "read" },
  rev: { options: "", isLenient: true, operands: "read" },
  stat: {
    options: "-Lft -c: -x --format= --printf= --dereference --file-system --terse",
    isLenient: true,
    operands: "read",
  },
  file: {
    options:
      "-bhikLNrs0 -F: -e: --mime --mime-type --mime-encoding --extension --brief --dereference --no-dereference --keep-going --no-pad --print0 --raw --separator= --exclude=",
    operands: "read",
  },
  du: {
    options:
      "-0abchklmsxDHLPS -d: -B: -t: -X:< --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable --inodes --dereference --count-links --no-dereference --separate-dirs --summarize --exclude= --exclude-from=< --threshold= --time? --time-style= --one-file-system --si",
    operands: "read",
  },
  df: {
    options:
      "-ahHiklPTv -B: -t: -x: --all --block-size= --human-readable --si --inodes --local --no-sync --portability --print-type --total --type= --exclude-type= --output?",
    operands: "read",
  },
  basename: { options: "-az -s: --multiple --suffix= --zero", isLenient: true, operands: "text" },
  dirname: { options: "-z --zero", isLenient: true, operands: "text" },
  realpath: {
    options:
      "-eLmPqsz --relative-to= --relative-base= --canonicalize-existing --canonicalize-missing --quiet --strip --no-symlinks",
    isLenient: true,
    operands: "text",
  },
  readlink: {
    options: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline",
    isLenient: true,
    operands: "text",
  },
  ...alike("md5sum sha1sum sha256sum sha512sum", { options: "-btz --tag", operands: "read" }),
  shasum: { options: "-a: -bt", operands: "read" },
  cksum: { options: "-a: --algorithm=", operands: "read" },
  b2sum: { options: "-bt -l:", operands: "read" },
  od: {
    options:
      "-abcdfiloxsv -A: -j: -N: -S: -t: -w? --address-radix= --endian= --skip-bytes= --read-bytes= --strings? --format= --output-duplicates --width?",
    isLenient: true,
    operands: "read",
  },
  hexdump: { options: "-bcCdovx -e: -n: -s: --canonical --length= --skip= --no-squeezing", operands: "read" },
  // A second operand is a file that it writes, even if it looks like an option.
  xxd: { options: "-abCdEeipu -c: -g: -l: -n: -s: -o:", operands: "read", most: 1, stops: true, isDetached: true },
  // `@file` contains further arguments.
  strings: {
    options: "-adfow -n: -t: -e: -s: -# --bytes= --radix= --all --data --print-file-name --encoding=",
    operands: "read",
    each: /^[^@*?[{$]/,
  },
  ...alike("fd fdfind", {
    options:
      "-HIaLlpsigFu0q1 -t: -e: -E: -d: -c: -S: --hidden --no-ignore --no-ignore-vcs --type= --extension= --exclude= --max-depth= --min-depth= --exact-depth= --glob --regex --fixed-strings --full-path --absolute-path --follow --size= --changed-within= --changed-before= --color= --max-results= --list-details --case-sensitive --ignore-case --print0 --strip-cwd-prefix?",
    operands: "pattern",
  }),
  tree: {
    options:
      "-adflxisqNQpughDFvtcUrACSnJX -L: -P: -I: --noreport --dirsfirst --prune --gitignore --filelimit= --charset= --du --si --inodes --device",
    operands: "read",
    isDetached: true,
  },
  // Programs that process text.
  ...alike("grep egrep fgrep", {
    options: GREP,
    operands: "pattern",
    patternOptions: ["-e", "-f", "--regexp", "--file"],
  }),
  ...alike("zcat gzcat", { options: "", operands: "read" }),
  gzip: {
    options: "-lqv --list --quiet --verbose",
    operands: "read",
    needs: { options: ["-l", "--list"], otherwise: "changes files" },
  },
  zgrep: { options: "-Eachilnovwq", operands: "pattern" },
  rg: {
    options:
      "-abcFhHiIlLnNoPqSsuUvVwx0. -d: -A: -B: -C: -e: -E: -f:< -g: -j: -m: -M: -r: -t: -T: --after-context= --before-context= --context= --regexp= --encoding= --file=< --glob= --iglob= --threads= --max-count= --max-columns= --max-columns-preview --max-depth= --max-filesize= --replace= --type= --type-not= --type-add= --type-list --type-clear= --color= --colors= --column --count --count-matches --crlf --debug --engine= --field-context-separator= --field-match-separator= --files --files-with-matches --files-without-match --fixed-strings --follow --glob-case-insensitive --heading --help --hidden --hyperlink-format= --ignore-case --ignore-file=< --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered --line-number --line-regexp --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-require-git --no-unicode --null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --smart-case --case-sensitive --sort= --sortr= --stats --stop-on-nonmatch --text --trace --trim --unrestricted --version --vimgrep --with-filename --word-regexp",
    operands: "pattern",
    patternOptions: ["-e", "-f", "--regexp", "--file", "--files", "--type-list"],
  },
  ag: { options: "-aciflLnQsSvwzHg -A: -B: -C: -G: -m: --hidden --nocolor --noheading --ignore=", operands: "pattern" },
  sort: {
    options:
      "-bcCdfghimMnRrsuVz -k: -t: --key= --field-separator= --reverse --unique --numeric-sort --human-numeric-sort --version-sort --stable --ignore-case --ignore-leading-blanks --dictionary-order --general-numeric-sort --check? --zero-terminated --random-sort --merge",
    operands: "read",
  },
  uniq: {
    options: "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields= --skip-chars=",
    operands: "read",
    most: 1,
  },
  cut: {
    options:
      "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated",
    isLenient: true,
    operands: "read",
  },
  tr: { options: "-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands: "text" },
  fold: { options: "-bs -w: -#", operands: "read" },
  fmt: { options: "-cstu -w: -p: -g: -#", operands: "read" },
  expand: { options: "-i -t:", operands: "read" },
  unexpand: { options: "-a -t:", operands: "read" },
  column: {
    options: "-txLeJ -s: -o: -c: -N: -R: --table --separator= --output-separator= --table-columns= --table-right=",
    operands: "read",
  },
  comm: { options: "-123z --check-order --nocheck-order --output-delimiter= --total", operands: "read" },
  join: { options: "-iz -a: -e: -j: -o: -t: -v: -1: -2: --header", operands: "read" },
  paste: { options: "-sz -d: --serial --delimiters=", operands: "read" },
  cmp: { options: "-bls -i: -n: --silent --quiet --bytes=", operands: "read" },
  diff: {
    options:
      "-aBbcdeEiNnpqrstTuwyZ -C: -U: -I: -x: -X:< -W: -F: -D: -S: -# --brief --unified? --context? --color? --exclude= --exclude-from=< --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignore-matching-lines= --ignore-trailing-space --label= --minimal --new-file --no-dereference --normal --recursive --report-identical-files --side-by-side --speed-large-files --starting-file= --strip-trailing-cr --suppress-common-lines --tabsize= --text --width= --left-column --from-file=< --to-file=<",
    operands: "read",
  },
  jq: {
    options:
      "-aceCjMnrsSR -h -V --arg% --argjson% --args --ascii-output --color-output --compact-output --exit-status --indent= --join-output --jsonargs --monochrome-output --null-input --raw-input --raw-output --raw-output0 --seq --slurp --sort-keys --stream --tab --unbuffered --version --help",
    operands: "pattern",
    language: "jq",
  },
  sed: {
    options:
      "-nErsuz -e: --quiet --silent --regexp-extended --expression= --separate --unbuffered --null-data --posix --debug",
    operands: "pattern",
    patternOptions: ["-e", "--expression"],
    language: "sed",
  },
  ...alike("awk gawk", { options: "-F: -v: --field-separator= --assign=", operands: "pattern", language: "awk" }),
  mawk: { options: "-F: -v:", operands: "pattern", language: "awk" },
  test: { options: ALL, operands: "text" },
  "[": { options: ALL, operands: "text" },
  expr: { options: ALL, operands: "text" },
  bc: { options: "-lqsw --mathlib --quiet --standard --warn", operands: "read" },
  factor: { options: "-h --exponents", operands: "text" },
  shuf: {
    options: "-erz -i: -n: --echo --repeat --zero-terminated --input-range= --head-count=",
    operands: "read",
  },
  sdiff: {
    options:
      "-abBdEHilstWZ -I: -w: --ignore-case --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --width= --left-column --suppress-common-lines --expand-tabs --tabsize= --minimal --speed-large-files --strip-trailing-cr",
    operands: "read",
    most: 2,
  },
  seq: { options: "-w -f: -s: --equal-width --format= --separator=", operands: "text" },
  numfmt: {
    options:
      "--from= --to= --field= --delimiter= --header? --padding= --suffix= --format= --grouping --invalid= --round=",
    operands: "text",
  },
  base64: { options: "-diD -w: --decode --ignore-garbage --wrap=", operands: "read" },
  ...MACHINE,
  // Programs that create what they name. Modes are not permitted, because one that lets others write, or runs as the
  // owner, needs approval.
  mkdir: { options: "-pv --parents --verbose", operands: "write" },
  touch: { options: "-acm -d: -t: -r:< --no-create --date= --reference=<", operands: "write" },
  rmdir: { options: "-pv --parents --verbose --ignore-fail-on-non-empty", operands: "write" },
  tee: { options: "-aip --append --ignore-interrupts --output-error?", operands: "write" },
  cp: {
    options:
      "-adfHinLpPrRuvx --archive --force --no-clobber --preserve? --recursive --update? --verbose --interactive --dereference --no-dereference",
    operands: "copy",
  },
  mv: { options: "-finuv --force --no-clobber --update? --verbose --interactive", operands: "move" },
};
