'use strict';
const { mkdirSync, readdirSync, renameSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { withLock } = require('./lock.cjs');
const { run, runAloud, say } = require('./say.cjs');

/** A slow line takes minutes for some 60 MB; a firewall that swallows everything must not take for ever. */
const DOWNLOAD_LIMIT_MS = 5 * 60_000;

/** Finds a Temporal server, or fetches the CLI into the cache, which all clones share. */
async function ensureTemporal(root, env) {
  if (env.TEMPORAL_ADDRESS) return;
  // Compiled by the step before; the running program looks in the same places.
  const cli = require(join(root, 'dist', 'workers', 'temporal-cli.js'));
  if (cli.findTemporalCli(env) !== undefined) return;

  const target = cli.cachedTemporalCli(env);
  mkdirSync(dirname(target), { recursive: true });
  await withLock(dirname(target), async () => {
    // Another set-up may have fetched it while this one waited.
    if (cli.findTemporalCli(env) !== undefined) return;
    const folder = join(dirname(target), 'fetched');
    for (const fetch of [download, goInstall]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      if (await fetch({ root, env, folder, module: cli.TEMPORAL_CLI_MODULE })) {
        // In one step, so that an interrupted set-up leaves nothing that looks whole.
        renameSync(join(folder, readdirSync(folder)[0]), target);
        break;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });
  if (cli.findTemporalCli(env) === undefined) throw new Error(cli.TEMPORAL_CLI_MISSING);
}

/** By the SDK, which knows where the CLI is published for this platform. */
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

/** From source, where only a Go module proxy can be reached. */
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
      // Without symbols: 213 MB in place of 250.
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
