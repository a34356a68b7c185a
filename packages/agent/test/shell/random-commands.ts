// Bash texts made of pieces that hide commands in each other, with random characters in between. They contain no slash
// and no parent folder, so that everything stays in its own empty folder.

/** Whole numbers below a limit, the same ones for the same seed. */
export type Draw = (below: number) => number;

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function randomCommand(draw: Draw): string {
  const command = script(draw, 3);
  return draw(3) === 0 ? disturb(command, draw) : command;
}

export function pick<T>(draw: Draw, items: readonly T[]): T {
  return items[draw(items.length)] as T;
}

/** Characters that change how the rest is read. */
const DISTURBANCES = [
  "'",
  '"',
  "\\",
  "$(",
  ")",
  "`",
  ";",
  "\n",
  "#",
  " #",
  " ",
  "&",
  "|",
  "{",
  "}",
  "(",
  "<<E\n",
  "\nE\n",
  "$",
  "=",
  "[",
  "]]",
  "((",
  "))",
  "!",
  "\\\n",
  ";;",
  "$'",
  "<(",
  "<<<",
  "${",
  " p1 ",
  "\t",
  "esac",
  " in ",
  " do ",
  "done",
  " then ",
  "fi",
];

function disturb(text: string, draw: Draw): string {
  let result = text;
  for (let count = 1 + draw(3); count > 0; count--) {
    const at = draw(result.length + 1);
    result = result.slice(0, at) + pick(draw, DISTURBANCES) + result.slice(at);
  }
  return result;
}

function script(draw: Draw, depth: number): string {
  let text = statement(draw, depth);
  for (let more = draw(3); more > 0; more--) {
    const joint = pick(draw, ["; ", " && ", " || ", " & ", "\n", " | ", ";", "|", " |& ", " # note\n", " \\\n && "]);
    // A here-document ends the line.
    text += (text.endsWith("\n") ? "" : joint) + statement(draw, depth);
  }
  return text;
}

/** A script that another word may follow. */
function closed(text: string): string {
  return /[\n&]$/.test(text) ? text : `${text};`;
}

function statement(draw: Draw, depth: number): string {
  if (depth <= 0 || draw(3) > 0) return simple(draw, depth);
  const inside = () => closed(script(draw, depth - 1));
  const one = () => closed(simple(draw, depth - 1));
  const forms: readonly (() => string)[] = [
    () => `{ ${inside()} }`,
    () => `(${inside()})`,
    () => `( ${inside()} ) > f1`,
    () => `if ${one()} then ${inside()} else ${inside()} fi`,
    () => `while false; do ${inside()} done`,
    () => `until ${program(draw)}; do break; done`,
    () => `for v in ${word(draw, depth - 1)} b; do ${inside()}\ndone`,
    () => `for ((i=0; i<2; i++)); do ${inside()} done`,
    () => `case ${word(draw, depth - 1)} in a|b) ${script(draw, depth - 1)}\n;; *) ${script(draw, depth - 1)}\n;; esac`,
    () => `case x in (x) ${simple(draw, depth - 1)}\n;; esac`,
    () => `g() { ${inside()} }; g`,
    () => `function h { ${inside()} }\nh`,
    () => `[[ -n ${word(draw, depth - 1)} && a == b ]] || ${simple(draw, depth)}`,
    () => `[ -n "${pick(draw, ["$v", "x", "$(p1)"])}" ] && ${simple(draw, depth)}`,
    () => `time ${simple(draw, depth)}`,
    () => `! ${simple(draw, depth)}`,
    () => `((1 + 1)) && ${simple(draw, depth)}`,
    () => `v=${word(draw, depth - 1)}; ${simple(draw, depth)}`,
    () => `cd sub && ${simple(draw, depth)}`,
    () => `n=2; p1 $((n + 1))`,
    () => `trap ${quote(draw, simple(draw, depth - 1))} EXIT`,
  ];
  return pick(draw, forms)();
}

function simple(draw: Draw, depth: number): string {
  const assignment = draw(6) === 0 ? `${pick(draw, ["A", "B"])}=${word(draw, depth - 1)} ` : "";
  return assignment + wrapper(draw) + command(draw, depth);
}

function wrapper(draw: Draw): string {
  if (draw(4) > 0) return "";
  return pick(draw, [
    "env ",
    "env A=1 ",
    "env -u B ",
    "timeout 5 ",
    "nice -n 1 ",
    "nohup ",
    "command ",
    "stdbuf -oL ",
    "echo x y | xargs ",
    "echo x | xargs -I% ",
  ]);
}

function command(draw: Draw, depth: number): string {
  const forms: readonly (() => string)[] = [
    () => plain(draw, depth),
    () => plain(draw, depth),
    () => plain(draw, depth),
    () => `bash -c ${quote(draw, script(draw, depth - 1))}`,
    () => `sh -c ${quote(draw, plain(draw, depth - 1))} ${word(draw, depth - 1)}`,
    () => `find . -maxdepth 0 -exec ${program(draw)} {} ${pick(draw, ["\\;", "+", "';'"])}`,
    () => `bash <<'Q'\n${plain(draw, 0)}\nQ\n`,
    () => `env bash -c ${quote(draw, plain(draw, depth - 1))}`,
  ];
  return depth <= 0 ? plain(draw, 0) : pick(draw, forms)();
}

function plain(draw: Draw, depth: number): string {
  const words = Array.from({ length: draw(3) }, () => word(draw, depth - 1));
  return [program(draw), ...words].join(pick(draw, [" ", "  ", "\t", " \\\n "])) + redirect(draw, depth - 1);
}

function program(draw: Draw): string {
  return pick(draw, ["p1", "p2", "p3", "p4", "p1", "p2", "p'3'", '"p4"', "\\p1", "$'p2'", "p\\3"]);
}

function word(draw: Draw, depth: number): string {
  const nested = () => (depth > 0 ? script(draw, depth - 1) : program(draw));
  const forms: readonly (() => string)[] = [
    () => "a",
    () => "-x",
    () => "'a b; p1'",
    () => '"c $v d"',
    () => "$v",
    () => '"$v"',
    () => "a=b",
    () => "a#b",
    () => "'#'",
    () => "{a,b}",
    () => "*.txt",
    () => "$'x\\ny'",
    () => '"q\\"r"',
    () => "a\\;b",
    () => "$((1+2))",
    () => "$HOME",
    () => `${"$"}{v:-w}`,
    () => `${"$"}{v:-$(${nested()})}`,
    () => `$(${nested()})`,
    () => `"$(${nested()})"`,
    () => `"x $(${nested()}) y"`,
    () => `\`${program(draw)} a\``,
    () => `"\`${program(draw)} b\`"`,
    () => `<(${nested()})`,
    () => `""`,
    () => "x''y",
    () => "!",
    () => "{}",
  ];
  return pick(draw, forms)();
}

function redirect(draw: Draw, depth: number): string {
  if (draw(3) > 0) return "";
  const forms: readonly (() => string)[] = [
    () => " > f1",
    () => " 2>&1",
    () => " < in.txt",
    () => " >> f2",
    () => " 2> f3",
    () => " &> f4",
    () => ` <<< ${word(draw, depth)}`,
    () => ` <<E\nbody $(${program(draw)} in-body)\nE\n`,
    () => ` <<'E'\nbody $(p4 never) "\nE\n`,
    () => ` <<-E\n\tbody\n\tE\n`,
    () => ` > >(${program(draw)})`,
    () => " >&2",
    () => " > f5 last",
  ];
  return pick(draw, forms)();
}

function quote(draw: Draw, text: string): string {
  const single = `'${text.replaceAll("'", "'\\''")}'`;
  const double = `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
  return pick(draw, [single, double]);
}
