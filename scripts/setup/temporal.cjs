'use strict';
const { mkdirSync, readdirSync, renameSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { withLock } = require('./lock.cjs');
const { run, runAloud, say } = require('./say.cjs');

/** Enough for 60 MB over a slow connection. The limit is for firewalls that drop packets silently. */
const DOWNLOAD_LIMIT_MS = 5 * 60_000;

/** Ensures a Temporal server: if none is found, fetches the CLI into the cache that all clones share. */
async function ensureTemporal(root, env) {
  if (env.TEMPORAL_ADDRESS) return;
  // The build step has compiled this module. Dailies itself finds its server with the same module.
  const cli = require(join(root, 'dist', 'workers', 'temporal-cli.js'));
  if (cli.findTemporalCli(env) !== undefined) return;

  const target = cli.cachedTemporalCli(env);
  mkdirSync(dirname(target), { recursive: true });
  await withLock(dirname(target), async () => {
    // Another set-up may have fetched the CLI while this one waited.
    if (cli.findTemporalCli(env) !== undefined) return;
    const folder = join(dirname(target), 'fetched');
    for (const fetch of [download, goInstall]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      if (await fetch({ root, env, folder, module: cli.TEMPORAL_CLI_MODULE })) {
        // Atomic, so that an interrupted set-up leaves no partial file at the target.
        renameSync(join(folder, readdirSync(folder)[0]), target);
        break;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });
  if (cli.findTemporalCli(env) === undefined) throw new Error(cli.TEMPORAL_CLI_MISSING);
}

/** Downloads through the SDK, which knows where the CLI is published for this platform. */
function download({ root, folder }) {
  return succeeds(
    runAloud(
      { doing: 'downloading the Temporal server', takes: 'some 60 MB' },
      process.execPath,
      [join(__dirname, 'download-temporal.cjs'), folder],
      { cwd: root, timeoutMs: DOWNLOAD_LIMIT_MS },
    ),
  );
}

/** Builds from source, for networks in which only a Go module proxy can be reached. */
async function goInstall({ env, folder, module }) {
  const hasGo = await run('go', ['version']).then(
    () => true,
    () => false,
  );
  if (!hasGo) return false;
  return succeeds(
    runAloud(
      { doing: 'building the Temporal server with Go', takes: 'about 5 minutes, this once' },
      'go',
      // Without symbols: 213 MB instead of 250.
      ['install', '-ldflags=-s -w', module],
      { env: { ...env, GOBIN: folder } },
    ),
  );
}

async function succeeds(work) {
  try {
    await work;
    return true;
  } catch (error) {
    say(`  that did not work: … ${error.lastLine ?? error.message}`);
    return false;
  }
}

module.exports = { ensureTemporal };
