// Ways in which a shell command spreads processes. Each leaf writes its pid to $PIDS, so a test knows that all of them
// really ran before it kills them.

export interface KillSituation {
  readonly name: string;
  readonly command: string;
  readonly leaves: number;
  /** The shell ends by itself and leaves the others behind. */
  readonly returns?: boolean;
}

/** `leaf` sleeps for long; `stubborn` also ignores every polite signal. */
export const KILL_PRELUDE = `
leaf() { sh -c 'echo $$ >>"$PIDS"; exec sleep 300'; }
stubborn() { sh -c 'trap "" TERM INT HUP QUIT; echo $$ >>"$PIDS"; while :; do sleep 1; done'; }
export -f leaf stubborn
`;

export const KILL_SITUATIONS: readonly KillSituation[] = [
  { name: "plain foreground", command: "leaf", leaves: 1 },
  { name: "pipeline", command: "leaf | leaf | leaf", leaves: 3 },
  { name: "background job and wait", command: "leaf & leaf & wait", leaves: 2 },
  { name: "background job left by the shell", command: "leaf & exit 0", leaves: 1, returns: true },
  { name: "subshells", command: "( ( (leaf) ) ; leaf ) & leaf", leaves: 2 },
  { name: "setsid", command: "setsid bash -c leaf & leaf", leaves: 2 },
  {
    name: "double-forked daemon",
    command: "(setsid bash -c '(leaf >/dev/null 2>&1 </dev/null &)' &); leaf",
    leaves: 2,
  },
  {
    name: "daemon left by the shell",
    command: "setsid bash -c '(leaf >/dev/null 2>&1 </dev/null &)'",
    leaves: 1,
    returns: true,
  },
  { name: "daemon that keeps the pipe", command: "setsid bash -c 'leaf & leaf' & disown", leaves: 2, returns: true },
  { name: "trap TERM in the shell", command: "trap '' TERM; leaf & leaf; leaf", leaves: 2 },
  { name: "grandchildren that ignore TERM", command: "bash -c 'stubborn & stubborn & wait' & wait", leaves: 2 },
  { name: "setsid that ignores TERM", command: "setsid bash -c stubborn & leaf", leaves: 2 },
  { name: "nohup", command: "nohup bash -c leaf >/dev/null 2>&1 & leaf", leaves: 2 },
  { name: "disown", command: "leaf & disown -a; leaf", leaves: 2 },
  { name: "process substitution", command: "cat <(leaf) >(leaf)", leaves: 2 },
  { name: "coproc", command: "coproc leaf; leaf", leaves: 2 },
  { name: "xargs -P", command: "printf '%s\\n' 1 2 3 4 | xargs -P 4 -I{} bash -c leaf", leaves: 4 },
  { name: "stopped process", command: "leaf & sleep 0.2; kill -STOP $!; leaf", leaves: 2 },
  {
    name: "empty environment in the group",
    command: 'env -i PIDS="$PIDS" sh -c \'echo $$ >>"$PIDS"; exec sleep 300\'',
    leaves: 1,
  },
  {
    name: "empty environment in a session of its own",
    command: `(env -i PIDS="$PIDS" setsid sh -c 'echo $$ >>"$PIDS"; exec sleep 300' >/dev/null 2>&1 &); leaf`,
    leaves: 2,
  },
  {
    name: "daemon with an empty environment and no open file left by the shell",
    command: `(env -i PIDS="$PIDS" setsid sh -c 'echo $$ >>"$PIDS"; exec sleep 300' </dev/null >/dev/null 2>&1 &)`,
    leaves: 1,
    returns: true,
  },
  {
    name: "fork bomb bounded by ulimit and depth",
    command:
      "ulimit -u 2000; bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & wait; else leaf; fi; }; bomb 5",
    leaves: 32,
  },
];
