/**
 * `hostplane admin serve` and `hostplane admin worker`: starts the app, prints example calls, reloads the configuration on SIGHUP,
 * and on Ctrl-C or SIGTERM drains and stops everything that was started.
 */
import { isatty } from 'node:tty';
import { type Role, type RunningApp, startApp } from './app.ts';
import type { Loaded } from './provider/load.ts';
import type { ProviderConfig } from './provider/schema.ts';

export interface ServeIo {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

function banner({ url, portal, demo, database }: RunningApp, role: Role): string {
  if (role === 'worker') {
    const probes = url === null ? '' : `  probes     ${url}/healthz\n`;
    return `Hostplane is working\n  database   ${database}\n${probes}\nCtrl-C stops it.\n`;
  }
  const key = demo?.apiKey ?? '$HOSTPLANE_API_KEY';
  const lines = [
    `Hostplane is listening on ${url}`,
    `  database   ${database}`,
    ...(portal === null ? [] : [`  portal     ${portal}`]),
    `  reference  ${url}/openapi.json`,
    '',
  ];
  if (demo) {
    lines.push(
      'A demo account was created. Its API key is shown only this once:',
      '',
      `  export HOSTPLANE_API_KEY=${demo.apiKey}`,
      '',
    );
    if (demo.welcomeLink !== null)
      lines.push(
        'Open this link within an hour to choose a password or a passkey for the portal. It works once:',
        '',
        `  ${demo.welcomeLink}`,
        '',
      );
  } else {
    lines.push(
      'A key is shown only once, when you create it. To create another one: npm run hostplane -- admin keys create --name my-key --preset full-access',
      '',
    );
  }
  lines.push(
    'Try:',
    `  curl -H "X-API-Key: ${key}" ${url}/account/v1/whoami`,
    `  curl -H "X-API-Key: ${key}" ${url}/account/v1/my-apis`,
    `  curl -H "X-API-Key: ${key}" ${url}/account/v1/pricing/catalogue`,
    '',
    'Ctrl-C stops it.',
    '',
  );
  return lines.join('\n');
}

const STANDARD_INPUT = 0;

/** Resolves with the exit code once everything has stopped. `reload` reads the configuration again. */
export function serve(
  provider: ProviderConfig,
  io: ServeIo,
  role: Role,
  reload: () => Loaded,
): Promise<number> {
  const hadTerminal = isatty(STANDARD_INPUT);
  return new Promise((resolve) => {
    let app: RunningApp | undefined;
    let code = 0;
    let stopping: Promise<void> | undefined;

    const stop = (reason: string): Promise<void> => {
      if (stopping !== undefined) return stopping;
      const { shutdown_seconds: seconds } = (app?.provider() ?? provider).server;
      const patience = setTimeout(
        () => {
          io.error(
            `Hostplane did not stop within ${seconds} s and exits now. No acknowledged change is lost.\n`,
          );
          process.exit(1);
        },
        seconds * 1000 + 1000,
      );
      patience.unref();
      app?.log.info({ reason }, 'stopping');
      stopping = (app?.close() ?? Promise.resolve())
        .catch((error: unknown) => {
          io.error(`Stopping failed: ${error instanceof Error ? error.message : String(error)}\n`);
          code = 1;
        })
        .then(() => {
          clearTimeout(patience);
          process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangUp);
          resolve(code);
        });
      return stopping;
    };
    const fail = (error: Error): void => {
      io.error(`${error.message}\n`);
      code = 1;
      void stop('fault');
    };
    let early = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      // There is no app to drain yet; the app is stopped as soon as it has started.
      if (app === undefined) early = true;
      else void stop(signal);
    };
    let reloads = false;
    const onHangUp = (): void => {
      // The terminal was closed, so nobody could stop the server with Ctrl-C any more.
      if (hadTerminal && !isatty(STANDARD_INPUT)) onSignal('SIGHUP');
      else if (app === undefined) reloads = true;
      else if (stopping === undefined) app.reload(reload);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangUp);

    startApp({ provider, role, onFatal: fail }).then((started) => {
      app = started;
      if (!early || started.demo !== null) io.out(banner(started, role));
      if (early) void stop('signal during start');
      else if (reloads) started.reload(reload);
    }, fail);
  });
}
