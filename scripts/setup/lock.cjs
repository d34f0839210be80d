'use strict';
const { createHash } = require('node:crypto');
const { connect, createServer } = require('node:net');
const { rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { say } = require('./say.cjs');

const INTERVAL_MS = 250;

/**
 * Runs `work` while no other set-up runs for the same folder.
 *
 * The lock is a listening socket, which the system releases even if its holder crashes.
 */
async function withLock(folder, work) {
  const name = `dailies-setup-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  // On Linux the socket is abstract and leaves no file. Elsewhere a crash leaves a file, which is removed below if no
  // process answers on it.
  const path = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name);
  let waiting = false;
  for (;;) {
    const server = await listen(path);
    if (server !== undefined) {
      try {
        return await work();
      } finally {
        server.close();
      }
    }
    if (!waiting) say('waiting for another set-up that is under way here');
    waiting = true;
    if (!path.startsWith('\0') && !(await answers(path))) rmSync(path, { force: true });
    await delay(INTERVAL_MS);
  }
}

/** The listening server; undefined if another process listens. */
function listen(path) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

function answers(path) {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

module.exports = { withLock };
