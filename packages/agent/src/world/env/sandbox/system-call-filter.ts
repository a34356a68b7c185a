// A filter for system calls: commands cannot set a set-user-id or set-group-id bit, because such a file would take
// effect outside for whoever runs it there, and cannot reach the kernel's key rings, which belong to the user and to no
// namespace.

const [LOAD, JUMP, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x05, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff0000;
const refuse = (errno: number): number => 0x00050000 + errno;
const [EPERM, ENOSYS] = [1, 38];
const SET_ID_BITS = 0o6000;
const CREATES = 0o100 | 0o20000000; // O_CREAT, __O_TMPFILE: without them, the mode has no meaning
const FIRST_X32_CALL = 0x40000000;

interface Calls {
  readonly architecture: number;
  /** The system call's number, and the indexes of its mode argument and of the open flags. */
  readonly withMode: readonly (readonly [call: number, mode: number, flags?: number])[];
  /**
   * openat2 and io_uring hide the mode from a filter; programs fall back to other calls. The others are the key ring
   * calls.
   */
  readonly missing: readonly number[];
}

const X64: Calls = {
  architecture: 0xc000003e,
  // open, creat, chmod, fchmod, mknod, openat, mknodat, fchmodat, fchmodat2
  withMode: [
    [2, 2, 1],
    [85, 1],
    [90, 1],
    [91, 1],
    [133, 1],
    [257, 3, 2],
    [259, 2],
    [268, 2],
    [452, 2],
  ],
  missing: [437, 425, 248, 249, 250],
};
const X86: Calls = {
  architecture: 0x40000003,
  withMode: [
    [5, 2, 1],
    [8, 1],
    [15, 1],
    [94, 1],
    [14, 1],
    [295, 3, 2],
    [297, 2],
    [306, 2],
    [452, 2],
  ],
  missing: [437, 425, 286, 287, 288],
};
const ARM64: Calls = {
  architecture: 0xc00000b7,
  // fchmod, openat, mknodat, fchmodat, fchmodat2
  withMode: [
    [52, 1],
    [56, 3, 2],
    [33, 2],
    [53, 2],
    [452, 2],
  ],
  missing: [437, 425, 217, 218, 219],
};
const BY_ARCHITECTURE: Readonly<Record<string, readonly Calls[]>> = { x64: [X64, X86], arm64: [ARM64] };

/** A program for the kernel's BPF filter; undefined for an architecture whose calls we do not know. */
export function systemCallFilter(architecture: string): Buffer | undefined {
  const known = BY_ARCHITECTURE[architecture];
  if (known === undefined) return undefined;
  const blocks = known.flatMap((calls) => {
    const body = filterOf(calls);
    return [step(LOAD, 4), step(EQUAL, calls.architecture, 1, 0), step(JUMP, body.length), ...body];
  });
  // Calls of an unlisted architecture fail as unknown.
  return Buffer.concat([...blocks, step(RETURN, refuse(ENOSYS))]);
}

function filterOf({ withMode, missing }: Calls): Buffer[] {
  return [
    step(LOAD, 0),
    step(AT_LEAST, FIRST_X32_CALL, 0, 1),
    step(RETURN, refuse(ENOSYS)),
    ...missing.flatMap((call) => [step(EQUAL, call, 0, 1), step(RETURN, refuse(ENOSYS))]),
    ...withMode.flatMap(([call, mode, flags]) => {
      const check = [
        ...(flags === undefined
          ? []
          : [step(LOAD, argument(flags)), step(ANY_BIT, CREATES, 1, 0), step(RETURN, ALLOW)]),
        ...[
          step(LOAD, argument(mode)),
          step(ANY_BIT, SET_ID_BITS, 0, 1),
          step(RETURN, refuse(EPERM)),
          step(RETURN, ALLOW),
        ],
      ];
      return [step(EQUAL, call, 0, check.length), ...check];
    }),
    step(RETURN, ALLOW),
  ];
}

/** Offset of the lower half of an argument in the data that the kernel passes to the filter. */
const argument = (index: number): number => 16 + 8 * index;

/** One instruction; `yes` and `no` are the numbers of instructions that a comparison skips. */
function step(code: number, value: number, yes = 0, no = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
