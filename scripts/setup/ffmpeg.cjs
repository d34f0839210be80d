'use strict';
const { accessSync, constants } = require('node:fs');
const { createRequire } = require('node:module');
const { delimiter, join } = require('node:path');

/** MAINTENANCE: the order of media/find-ffmpeg.ts, which also tries whether it runs; this has to be quick. */
function ensureFfmpeg(root, env) {
  if (env.FFMPEG_PATH) {
    if (isExecutable(env.FFMPEG_PATH)) return;
    throw new Error(`FFMPEG_PATH names ${env.FFMPEG_PATH}, which is no program. Correct it or unset it.`);
  }
  const onPath = (env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, 'ffmpeg')));
  if (onPath || isExecutable(installedFfmpeg(root))) return;
  throw new Error(
    'No ffmpeg was found. Any one of these is enough:\n' +
      '  - install it so that `ffmpeg` is on PATH (apt install ffmpeg, brew install ffmpeg);\n' +
      '  - set FFMPEG_PATH to one;\n' +
      '  - let npm install the optional package @ffmpeg-installer/ffmpeg (npm install --include=optional).',
  );
}

function installedFfmpeg(root) {
  try {
    return createRequire(join(root, 'package.json'))('@ffmpeg-installer/ffmpeg').path;
  } catch {
    // Optional: left out of the install, or not made for this platform.
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
