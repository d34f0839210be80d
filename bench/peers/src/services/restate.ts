import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import { type Service, ServiceMissing } from './service';
import { versionOf } from './version';

/**
 * More than the tasks of any measurement, because a handler that sleeps for less than a minute keeps its slot. The
 * default of 1000 is too low.
 */
const INVOCATIONS_AT_ONCE = 10_000;

/** Source: the optional packages of @restatedev/restate-server. */
const BUILT_FOR = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

const START_MS = 60_000;
const LOOK_EVERY_MS = 50;

/**
 * Starts a Restate server of one node, which syncs its log to disk before it confirms a write.
 *
 * The address of the service is that of the ingress, with the port of the admin API as a parameter:
 * `http://127.0.0.1:8080/?admin=9070`.
 *
 * @throws ServiceMissing if there is no server for this system or it is not installed; Error if it does not answer.
 */
export async function startRestate(folder: string): Promise<Service> {
  const server = findServer();
  const version = await versionOf(server);
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'restate.toml');
  await writeFile(config, settings({ folder, node, ingress, admin }));
  const logFile = join(folder, 'restate.log');
  const log = await open(logFile, 'a');
  const child = spawn(server, ['--config-file', config, '--no-logo'], {
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
  });
  const ended = once(child, 'exit');
  await log.close();
  const health = [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`];
  for (const url of health) await untilItAnswers(child, url, logFile);
  return {
    address: `http://127.0.0.1:${ingress}/?admin=${admin}`,
    version,
    pids: () => Promise.resolve(child.pid === undefined ? [] : [child.pid]),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Finds the binary. The package's launcher would add a process between this process and the server. */
function findServer(): string {
  const system = `${process.platform}-${process.arch}`;
  const name = `@restatedev/restate-server-${system}`;
  try {
    return require.resolve(`${name}/bin/restate-server`);
  } catch (cause) {
    throw new ServiceMissing(
      BUILT_FOR.includes(system)
        ? `The package ${name} is missing: delete bench/peers/node_modules and run node bench/peers/setup.cjs. npm must not be set to omit optional packages.`
        : `Restate has no server for ${system}: it is built for ${BUILT_FOR.join(', ')}.`,
      { cause },
    );
  }
}

interface Place {
  readonly folder: string;
  readonly node: number;
  readonly ingress: number;
  readonly admin: number;
}

function settings({ folder, node, ingress, admin }: Place): string {
  return `node-name = "bench"
base-dir = ${JSON.stringify(join(folder, 'restate'))}
listen-mode = "tcp"
bind-ip = "127.0.0.1"
advertised-host = "127.0.0.1"
bind-port = ${node}
log-filter = "warn"
disable-telemetry = true

[ingress]
bind-port = ${ingress}

[admin]
bind-port = ${admin}

[worker.invoker]
concurrent-invocations-limit = ${INVOCATIONS_AT_ONCE}
`;
}

async function untilItAnswers(child: ChildProcess, url: string, log: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const isUp = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`Restate does not answer: see ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
