/** The script of `curl … | sh`: installs the command line for one user, without root. */
import type { CliPackage } from './package.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `url`: the address of this server. */
export function installScript(url: string, { version, node, sha256 }: CliPackage): string {
  const [major = '0', minor = '0'] = node.split('.');
  return `#!/bin/sh
# Installs hostplane ${version}, the command line of ${new URL(url).host}, for the current user.
# It needs no root. Run it again to update. What it writes:
#   the program          \${XDG_DATA_HOME:-~/.local/share}/hostplane/hostplane.cjs
#   a link that runs it  \${HOSTPLANE_BIN:-~/.local/bin}/hostplane
set -eu

server=\${HOSTPLANE_URL:-${quoted(url)}}
sha256=${sha256}

fail() {
  printf '%s\\n' "$*" >&2
  exit 1
}

download() {
  if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then wget -q -O "$2" "$1"
  else fail 'This needs curl or wget. Install one of them, then run this again.'
  fi
}

# Everything is in a function that the last line calls, so that a script that arrived only in part does nothing.
main() {
  [ -n "\${HOME:-}" ] || fail 'HOME is not set, so there is no folder to install into.'
  command -v node >/dev/null 2>&1 ||
    fail 'The command line needs Node.js ${node} or newer, and this computer has none. Install it (https://nodejs.org), then run this again.'
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > ${major} || (a === ${major} && b >= ${minor}) ? 0 : 1)' ||
    fail "The command line needs Node.js ${node} or newer, and this computer has $(node --version). Update it (https://nodejs.org), then run this again."

  home="\${XDG_DATA_HOME:-$HOME/.local/share}/hostplane"
  bin="\${HOSTPLANE_BIN:-$HOME/.local/bin}"
  program="$home/hostplane.cjs"
  link="$bin/hostplane"
  if [ -e "$link" ] || [ -L "$link" ]; then
    [ "$(readlink "$link" || true)" = "$program" ] ||
      fail "There already is another $link. Remove it, or set HOSTPLANE_BIN to another folder, then run this again."
  fi

  draft=$(mktemp -d)
  trap 'rm -rf "$draft"' EXIT
  download "$server/cli.tgz" "$draft/cli.tgz" || fail "$server/cli.tgz could not be fetched. Check your network, then run this again."
  found=$(node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$draft/cli.tgz")
  [ "$found" = "$sha256" ] ||
    fail "$server/cli.tgz is not the file that this script is for: its SHA-256 is $found instead of $sha256. Nothing was installed. If the server was just updated, run this again in a minute; else tell your provider."
  tar -xzf "$draft/cli.tgz" -C "$draft"

  mkdir -p "$home" "$bin"
  # The new program replaces the old one in one step, and a program that runs keeps its file.
  cp "$draft/package/dist/hostplane.cjs" "$program.$$"
  chmod 755 "$program.$$"
  mv -f "$program.$$" "$program"
  ln -sf "$program" "$link"

  printf 'Installed %s as %s.\\n' "$("$link" --version)" "$link"
  case ":$PATH:" in
    *":$bin:"*) run=hostplane ;;
    *)
      run=$link
      printf 'That folder is not in your PATH. Add this line to the settings of your shell:\\n  export PATH="%s:$PATH"\\n' "$bin"
      ;;
  esac
  printf 'Next: %s login --url %s\\n' "$run" "$server"
}

main
`;
}
