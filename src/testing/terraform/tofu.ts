/**
 * Runs OpenTofu with the provider `magodo/restful`, which Terraform users get. On machines that are not x64, QEMU runs
 * OpenTofu; the provider, which does the work, is always native.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE } from '../cache.ts';

const here = import.meta.dirname;
const TOFU = join(CACHE, 'opentofu-1.6.2', 'tofu');
const VERSION = '0.25.2';
const NAME = `terraform-provider-restful_v${VERSION}`;
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = architectures[process.arch];

const QEMU = 'qemu-x86_64-static';
const isEmulated = process.arch !== 'x64';
const canRun = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** The reason why OpenTofu cannot run here; null if it can. */
export const whyNoTofu: string | null = ((): string | null => {
  if (process.platform !== 'linux' || architecture === undefined) return 'only on Linux, on x64 or arm64';
  if (!existsSync(TOFU)) return 'OpenTofu is not downloaded (npm test -- --ci downloads it)';
  if (isEmulated && !canRun(QEMU)) return 'not installed (package qemu-user-static)';
  if (!canRun('xz')) return 'not installed (package xz-utils)';
  return null;
})();

export interface Ran {
  readonly code: number;
  /** What it printed on stdout and stderr. */
  readonly output: string;
}

/**
 * What saves CPU time in an emulated run: instructions of newer processors a quarter, collecting garbage only when much
 * memory is used a sixth, and not looking for work on several cores, nor being interrupted by signals, a twelfth.
 */
const EMULATED = {
  QEMU_CPU: 'max',
  GOGC: 'off',
  GOMEMLIMIT: '1GiB',
  GOMAXPROCS: '1',
  GODEBUG: 'asyncpreemptoff=1',
};

/** Unpacks the provider into the folder that OpenTofu looks for it in. */
async function furnish(mirror: string): Promise<void> {
  // OpenTofu is the one for x64, so it looks for a provider of that name, but starts it as any other program.
  const folder = join(mirror, 'registry.opentofu.org', 'magodo', 'restful', VERSION, 'linux_amd64');
  await mkdir(folder, { recursive: true });
  const program = join(folder, NAME);
  const packed = join(here, `restful-${VERSION}-linux-${architecture}.xz`);
  const { status, stderr } = spawnSync('sh', ['-c', `xz -dc '${packed}' > '${program}'`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`xz could not unpack ${packed}: ${stderr}`);
  await chmod(program, 0o755);
}

export class Tofu {
  readonly #settings: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#settings = join(folder, 'tofurc');
    this.#environment = environment;
  }

  /** Everything that it needs is in `folder`. */
  static async open(folder: string, environment: Readonly<Record<string, string>>): Promise<Tofu> {
    const mirror = join(folder, 'mirror');
    const tofu = new Tofu(folder, environment);
    await furnish(mirror);
    await writeFile(
      tofu.#settings,
      `provider_installation {
  filesystem_mirror {
    path = "${mirror}"
  }
  direct {
    exclude = ["*/*"]
  }
}
disable_checkpoint = true
`,
    );
    return tofu;
  }

  /** The program with its first arguments, and the environment that it needs. */
  forShell(): { readonly command: string; readonly environment: Readonly<Record<string, string>> } {
    return {
      command: isEmulated ? `${QEMU} ${TOFU}` : TOFU,
      environment: {
        TF_CLI_CONFIG_FILE: this.#settings,
        TF_IN_AUTOMATION: '1',
        ...(isEmulated && EMULATED),
        ...this.#environment,
      },
    };
  }

  run(cwd: string, ...args: string[]): Promise<Ran> {
    const { command, environment } = this.forShell();
    const [program = '', ...first] = command.split(' ');
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.#folder, ...environment };
    return new Promise((resolve) => {
      execFile(
        program,
        [...first, ...args],
        { cwd, env, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
      );
    });
  }
}
