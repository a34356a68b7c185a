// A small program that runs where commands run and passes bytes between its pipes and a port there. Before the first
// byte, it prints `open` on a separate line, or why there is no connection. The perl, node and python3 forms are the
// same program.

/** Separate processes copy each direction, so neither waits for the other. When the other side closes, all end. */
const PERL = `
use IO::Socket::IP;
my $socket;
for my $host ("127.0.0.1", "::1") { last if $socket = IO::Socket::IP->new(PeerHost => $host, PeerPort => $ARGV[0], Timeout => 20) }
syswrite STDOUT, $socket ? "open\\n" : "refused\\n";
exit 3 unless $socket;
sub copy {
  my ($from, $to) = @_;
  while (my $read = sysread $from, my $bytes, 65536) {
    for (my $at = 0; $at < $read;) { $at += syswrite($to, $bytes, $read - $at, $at) // exit 1 }
  }
}
my $writer = fork // die "fork: $!";
unless ($writer) { close STDOUT; copy(\\*STDIN, $socket); shutdown $socket, 1; exit }
close STDIN;
$! = 0;
copy($socket, \\*STDOUT);
my $broke = $! != 0;
kill KILL => $writer;
exit $broke;`;

const NODE = `
const net = require("node:net");
const { stdin, stdout } = process;
const open = ([host, ...others]) => {
  const socket = net.connect({ host, port: Number(process.argv[1]), timeout: 20000 });
  const next = () => { socket.destroy(); if (others.length > 0) open(others); else { stdout.write("refused\\n"); process.exitCode = 3; stdin.destroy(); } };
  socket.once("error", next).once("timeout", next).once("connect", () => {
    socket.setTimeout(0).off("error", next).on("error", () => { process.exitCode = 1; }).on("close", () => stdin.destroy());
    stdout.write("open\\n");
    stdin.pipe(socket).pipe(stdout);
  });
};
open(["127.0.0.1", "::1"]);`;

const PYTHON = `
import os, socket, sys, threading
for host in ("127.0.0.1", "::1"):
    try:
        connection = socket.create_connection((host, int(sys.argv[1])), 20)
        break
    except OSError:
        connection = None
os.write(1, b"open\\n" if connection else b"refused\\n")
if not connection: sys.exit(3)
connection.settimeout(None)
def send():
    try:
        while data := os.read(0, 65536): connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError: pass
threading.Thread(target=send, daemon=True).start()
code = 0
try:
    while data := connection.recv(65536):
        while data: data = data[os.write(1, data):]
except OSError: code = 1
os._exit(code)`;

const quoteScript = (script: string): string => `'${script.replaceAll("'", `'\\''`)}'`;

/**
 * Arguments: the port. Only busybox's nc passes on the end of its input, but it does not report when it is connected,
 * so the script checks the kernel's socket table for a listener.
 */
export const PORT_RELAY = `
for program in perl node python3; do
  command -v $program >/dev/null 2>&1 || continue
  case $program in
    perl) perl -MIO::Socket::IP -e 1 2>/dev/null && exec perl -e ${quoteScript(PERL)} "$1" ;;
    node) exec node -e ${quoteScript(NODE)} "$1" ;;
    python3) exec python3 -c ${quoteScript(PYTHON)} "$1" ;;
  esac
done
if command -v busybox >/dev/null 2>&1; then set -- "$1" busybox nc; else set -- "$1" nc; fi
case $("$2" \${3:-} --help 2>&1) in *BusyBox*) ;; *) echo missing; exit 3 ;; esac
port=$1
shift
hex=$(printf %04X "$port")
listens=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep ":$hex [0-9A-F]*:0000 0A ")
case $listens in
  '') echo refused; exit 3 ;;
  *" 00000000000000000000000001000000:$hex "*) host=::1 ;;
esac
case $listens in *" 0100007F:$hex "*|*" 00000000:$hex "*|*" 00000000000000000000000000000000:$hex "*) host=127.0.0.1 ;; esac
echo open
exec "$@" "\${host:-127.0.0.1}" "$port"`;
