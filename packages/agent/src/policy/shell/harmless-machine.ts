// Harmless programs that print information about the machine: its processes, devices, services, packages and the
// shell's own state.

import type { HarmlessProgram } from "./harmless-program.ts";

const PIP: HarmlessProgram = { options: "-fv --files --verbose", operands: "text", joined: /^show(?: [\w.-]+)+$/ };

export const MACHINE: Readonly<Record<string, HarmlessProgram>> = {
  date: {
    options: "-uR -d: -I? -r:< --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal --reference=<",
    operands: "text",
    each: /^\+/,
  },
  uname: {
    options:
      "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system",
    operands: "none",
  },
  hostname: {
    // Any other option queries a name server.
    options: "-Is --short --all-ip-addresses",
    operands: "none",
  },
  whoami: { options: "", operands: "none" },
  id: { options: "-agGnruzZ --group --groups --name --real --user --zero", operands: "text" },
  groups: { options: "", operands: "text" },
  arch: { options: "", operands: "none" },
  nproc: { options: "--all --ignore=", operands: "none" },
  uptime: { options: "-ps --pretty --since", operands: "none" },
  free: { options: "-bkmghwtl --human --mega --giga --total --wide", operands: "none" },
  // The options `e`, `-E` and the column `environ` would show the environments of other processes.
  ps: {
    options:
      "-eAadfFlLjwHTMuNx -o: -O: -p: -U: -C: -g: -G: -t: -s: -k: --sort= --forest --no-headers --headers --pid= --ppid= --user= --format= --columns= --width=",
    operands: "text",
    each: /^(?!.*environ)(?:[a-df-z]+|[\d,]+|[\w%]+(?:[,=:][\w%]*)+)$/,
    values: /^(?!.*environ)/i,
  },
  pgrep: {
    options:
      "-acfilnovwx -d: -g: -G: -P: -s: -t: -u: -U: --list-name --list-full --full --exact --newest --oldest --count",
    operands: "text",
  },
  lscpu: { options: "-abcJxyB -e? -p? -C? --all --json --extended? --parse? --caches?", operands: "none" },
  lsblk: { options: "-abdfilmnpJtASOPrsTz -o: -e: -I: -x: --all --json --fs --paths --output=", operands: "read" },
  who: { options: "-abdHlmpqrstTuw --all --boot --count --heading --users", operands: "none" },
  ss: { options: "-aeHilmnoOpstuwx046 --all --listening --numeric --processes --tcp --udp --unix", operands: "none" },
  lsof: { options: "-PRUlnta -i? -c: -p: -u:", operands: "text", each: /^(?:tcp|udp)?:\d+$/i },
  top: { options: "-bcHiS -n: -o: -p: -u: -U:", operands: "none" },
  dpkg: {
    options: "-lLsS --list --listfiles --status --search --get-selections --print-architecture",
    operands: "text",
  },
  help: { options: "-dms", operands: "text" },
  ulimit: { options: "-aSHbcdefiklmnpqrstuvxPRT", operands: "none" },
  npm: {
    options: "-agl --all --global --json --long --parseable --depth= --prod --dev --omit=",
    operands: "text",
    joined: /^(?:(?:ls|list)(?: @?[\w./-]+)*|root|prefix|config (?:list|ls|get [a-z][a-z-]*))?$/,
  },
  ip: {
    options: "-46cjs",
    operands: "text",
    joined: /^(?:(?:a|addr|address|l|link|r|route|n|neigh|neighbour)(?: (?:show|list)(?: (?:dev )?[\w.-]+)?)?)?$/,
  },
  systemctl: {
    options:
      "-al -n: -o: -t: --all --full --failed --lines= --no-legend --no-pager --plain --state= --system --type= --user",
    operands: "text",
    joined:
      /^(?:list-(?:units|unit-files|timers|sockets|jobs)|(?:status|is-active|is-enabled|is-failed|cat)(?: [\w@.:-]+)*)?$/,
  },
  journalctl: {
    options:
      "-aefklqrx -b? -n: -o: -p: -S: -t: -u: -U: --boot? --dmesg --follow --lines? --no-pager --output= --priority= --reverse --since= --unit= --until= --user --disk-usage",
    operands: "text",
    each: /^[A-Z_]+=/,
  },
  dmesg: {
    options: "-dekrtTuxw -f: -l: --ctime --facility= --follow --kernel --level= --notime --raw",
    operands: "none",
  },
  mount: { options: "-l -t:", operands: "none" },
  ifconfig: { options: "-as", operands: "text", joined: /^[\w.:-]*$/ },
  netstat: {
    options: "-aeilnoprstuwx46 --all --listening --numeric --programs --route --tcp --udp",
    operands: "none",
    needs: { options: ["-n", "--numeric"], otherwise: "asks name servers" },
  },
  sysctl: { options: "-aenN --all --names --values", operands: "text", each: /^[\w./-]+$/ },
  lspci: { options: "-bDkmntv -d: -s:", operands: "none" },
  lsusb: { options: "-tv -d: -s:", operands: "none" },
  lsmod: { options: "", operands: "none" },
  w: { options: "-fhios", operands: "text" },
  last: { options: "-adFiRwx -n: -# -s: -t:", operands: "text" },
  crontab: {
    options: "-l",
    operands: "none",
    needs: { options: ["-l"], otherwise: "may take a new table of jobs from its input" },
  },
  stty: { options: "-ag --all --save", operands: "text", each: /^(?:size|speed)$/ },
  alias: { options: "", operands: "none" },
  clear: { options: "-x", operands: "none" },
  // Names only: a path would be a file to format, in a language that can run commands.
  man: { options: "-afkw --all --apropos --whatis --where", operands: "text", each: /^[A-Za-z\d][\w.+:-]*$/ },
  tty: { options: "-s", operands: "none" },
  locale: { options: "-akcm", operands: "text" },
  getconf: { options: "-a", operands: "text" },
  cal: { options: "-13jmsy", operands: "text" },
  env: { options: "-0 --null", operands: "none" },
  printenv: { options: "-0 --null", operands: "text" },
  getent: { options: "", operands: "text", joined: /^(?:passwd|group)(?: [\w.-]+)*$/ },
  // They query the daemon that the user has configured; none of their words selects it.
  docker: {
    options: "-aqs -f: -n: --all --digests --filter= --format= --last= --latest --no-trunc --quiet --size",
    operands: "text",
    joined: /^(?:ps|images(?: [\w./:@-]+)?|version|(?:container|image|network|volume) ls)$/,
  },
  pip: PIP,
  pip3: PIP,
};

/**
 * Files of the project select the version that runs. In a trusted folder that is acceptable, and changing files that
 * could name a program of the project (`.cargo/config.toml`, `rust-toolchain.toml`) needs approval.
 */
export const HARMLESS_WHERE_TRUSTED: Readonly<Record<string, HarmlessProgram>> = {
  go: { options: "-json", operands: "text", joined: /^(?:version|env(?: [A-Z][A-Z\d_]*)*)$/ },
  cargo: {
    options: "--frozen --all-features --no-default-features --depth= --edges= -e: -i: --invert=",
    operands: "text",
    joined: /^tree$/,
    needs: { options: ["--frozen"], otherwise: "may fetch what Cargo.toml names, and writes Cargo.lock" },
  },
};
