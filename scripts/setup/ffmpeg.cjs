'use strict';
const { execFileSync } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { createRequire } = require('node:module');
const { delimiter, join } = require('node:path');
const { say } = require('./say.cjs');

/** MAINTENANCE: keep in step with media/find-ffmpeg.ts. */
const MAINTAINED_LIBAVCODEC = 59;

/** MAINTENANCE: same order as media/find-ffmpeg.ts, which also checks that ffmpeg runs. This check has to be quick. */
function ensureFfmpeg(root, env) {
  if (env.FFMPEG_PATH) {
    if (isExecutable(env.FFMPEG_PATH)) return warnOfAge(env.FFMPEG_PATH);
    throw new Error(`FFMPEG_PATH names ${env.FFMPEG_PATH}, which is no program. Correct it or unset it.`);
  }
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'ffmpeg'));
  const found = [...onPath, installedFfmpeg(root)].find(isExecutable);
  if (found !== undefined) return warnOfAge(found);
  throw new Error(
    'No ffmpeg was found. Any one of these is enough:\n' +
      '  - install it so that `ffmpeg` is on PATH (apt install ffmpeg, brew install ffmpeg);\n' +
      '  - set FFMPEG_PATH to one;\n' +
      '  - let npm install the optional package @ffmpeg-installer/ffmpeg (npm install --include=optional).',
  );
}

/**
 * Warns of an old ffmpeg: clips are untrusted, and old decoders have known vulnerabilities. Does not check whether
 * ffmpeg works.
 */
function warnOfAge(path) {
  let version = '';
  try {
    version = execFileSync(path, ['-version'], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return;
  }
  const libavcodec = Number(/^libavcodec +(\d+)/m.exec(version)?.[1] ?? MAINTAINED_LIBAVCODEC);
  if (libavcodec >= MAINTAINED_LIBAVCODEC) return;
  say(`ffmpeg at ${path} is older than 5 and gets no security fixes any more. Install a current one on PATH`);
  say('  (apt install ffmpeg, brew install ffmpeg), or set FFMPEG_PATH to one, before you render for a gateway.');
}

function installedFfmpeg(root) {
  try {
    return createRequire(join(root, 'package.json'))('@ffmpeg-installer/ffmpeg').path;
  } catch {
    // The package is optional: it may not be installed, or not exist for this platform.
    return undefined;
  }
}

function isExecutable(path) {
  try {
    if (path === undefined) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

module.exports = { ensureFfmpeg };
