import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { runPart, tellParent, type Announcement, type PartStart, type RunningPart } from './embedded/part-process';
import { BROWSER_BLOCKED_PORTS, type GuardedUi, guardUi } from './guarded-ui';
import type { TemporalServerSettings } from './temporal-server';

/**
 * Guards a Temporal dev server, which would outlive the process that starts it. This process, the guard, starts the
 * server and ends it when the guard's own parent is gone.
 */

/** Attempts are repeated, because another program may take a free port before the server uses it. */
const PORT_ATTEMPTS = 3;
/** The server answers within 0.3 s on an idle machine, and in several seconds on a busy machine. */
const ANSWER_LIMIT_MS = 60_000;
const ANSWER_INTERVAL_MS = 50;
/** The server stops in about 1 s, and its database survives a kill. */
const STOP_LIMIT_MS = 5_000;

/**
 * These pragmas halve the CPU time per workflow with a database file. A killed server loses nothing that it confirmed.
 */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

const UI_URL = 'TEMPORAL_UI_URL';

const DYNAMIC_CONFIG = [
  // With this setting, a retry delay of 200 ms took 208 ms; without it, 1,001 ms.
  'history.timerProcessorMaxTimeShift="10ms"',
  // Do not check for newer versions over the internet.
  'frontend.enableServerVersionCheck=false',
  // The HTTP API cannot be turned off, has no authentication, and accepts a POST from any web page. So allow only an
  // impossible host: HTTP servers refuse a slash in a Host header.
  'frontend.httpAllowedHosts=["/"]',
  // Nexus routes ignore the allowed hosts, and Dailies does not use Nexus.
  'system.enableNexus=false',
];

runPart(startGuarded);

async function startGuarded({ settings, announced }: PartStart<TemporalServerSettings>): Promise<RunningPart> {
  for (let attempt = 1; attempt <= PORT_ATTEMPTS; attempt += 1) {
    const port = portBefore(announced, 'TEMPORAL_ADDRESS') ?? settings.port ?? (await freePort());
    // Another server at this port would answer in place of the new one.
    if (!(await becomesFree(port))) continue;
    const uiPort = settings.ui === true ? await freePortAmong(BROWSER_BLOCKED_PORTS) : undefined;
    const ui = uiPort === undefined ? undefined : await guardUiOnSomePort(uiPort, portBefore(announced, UI_URL));
    const server = startServer(settings, port, uiPort);
    const address = `127.0.0.1:${port}`;
    if (await answers(address, server)) {
      const endToo = () => process.exit(1);
      server.once('exit', endToo);
      return {
        announcement: {
          TEMPORAL_ADDRESS: address,
          ...(ui === undefined ? {} : { [UI_URL]: `http://127.0.0.1:${ui.port}` }),
        },
        stop: () => {
          ui?.close();
          server.off('exit', endToo);
          return stopServer(server);
        },
      };
    }
    ui?.close();
    await stopServer(server);
  }
  throw new Error('The Temporal server did not come up.');
}

/** Waits until the port is free: an old server may still be stopping. False if that takes more than `STOP_LIMIT_MS`. */
async function becomesFree(port: number): Promise<boolean> {
  const giveUpAt = Date.now() + STOP_LIMIT_MS;
  while (await accepts(`127.0.0.1:${port}`)) {
    if (Date.now() > giveUpAt) return false;
    await delay(ANSWER_INTERVAL_MS);
  }
  return true;
}

/** Prefers the port from before a restart. Another program may have taken that port meanwhile. */
async function guardUiOnSomePort(uiPort: number, before: number | undefined): Promise<GuardedUi> {
  if (before === undefined) return guardUi(uiPort, 0);
  return guardUi(uiPort, before).catch(() => guardUi(uiPort, 0));
}

function startServer(settings: TemporalServerSettings, port: number, uiPort: number | undefined): ChildProcess {
  const { cli, databaseFile } = settings;
  const server = spawn(
    cli,
    [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
      ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
      ...['--log-level', 'warn'],
      ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile]),
      ...(databaseFile === undefined ? [] : SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma])),
      ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  server.once('error', (error) => process.stderr.write(`${cli} does not run: ${error.message}\n`));
  if (server.pid !== undefined) tellParent({ started: server.pid });
  return server;
}

/** Waits until the server has its namespace. False if the server ends before that or takes too long. */
async function answers(address: string, server: ChildProcess): Promise<boolean> {
  const giveUpAt = Date.now() + ANSWER_LIMIT_MS;
  while (isRunning(server) && Date.now() < giveUpAt) {
    if ((await accepts(address)) && (await knowsNamespace(address))) {
      // If another program answers at this port, our server cannot bind the port, and ends.
      return isRunning(server);
    }
    await delay(ANSWER_INTERVAL_MS);
  }
  return false;
}

/** True if the port accepts connections. Checked first, because it is cheaper than a gRPC call. */
function accepts(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: portOf(address) });
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/** The gRPC message DescribeNamespaceRequest with `namespace: "default"`, after the gRPC prefix (flag and length). */
const DESCRIBE_DEFAULT = Buffer.concat([Buffer.from([0, 0, 0, 0, 9, 0x0a, 7]), Buffer.from('default')]);

const ONE_CALL_LIMIT_MS = 1_000;

/**
 * Asks by a plain gRPC call whether the server has its namespace. Temporal's client would add 0.3 s of CPU and 40 MB to
 * this process, which needs the client for nothing else.
 *
 * Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
function knowsNamespace(address: string): Promise<boolean> {
  const session = connectHttp2(`http://${address}`);
  const call = session.request({
    ':method': 'POST',
    ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  return new Promise<boolean>((resolve) => {
    const end = (isKnown: boolean): void => {
      resolve(isKnown);
      session.destroy();
    };
    session.on('error', () => {
      end(false);
    });
    call.on('error', () => {
      end(false);
    });
    call.once('close', () => {
      end(false);
    });
    call.setTimeout(ONE_CALL_LIMIT_MS, () => {
      end(false);
    });
    // A failed call has its status in the headers, and no trailers.
    call.once('trailers', (trailers: IncomingHttpHeaders) => {
      end(trailers['grpc-status'] === '0');
    });
    call.resume();
    call.end(DESCRIBE_DEFAULT);
  });
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (!isRunning(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const kill = setTimeout(() => server.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(kill);
}

function isRunning(server: ChildProcess): boolean {
  return server.pid !== undefined && server.exitCode === null && server.signalCode === null;
}

function portBefore(announced: Announcement | null, name: string): number | undefined {
  const address = announced?.[name];
  return address === undefined ? undefined : portOf(address);
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

async function freePortAmong(ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const free = await freePort(port).catch(() => undefined);
    if (free !== undefined) return free;
  }
  throw new Error(`The Temporal UI needs one of the ports ${ports.join(', ')}, which browsers block; all are in use.`);
}

async function freePort(wanted = 0): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}
