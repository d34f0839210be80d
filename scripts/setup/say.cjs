'use strict';
const { spawn } = require('node:child_process');

/** After about ten silent seconds, a person wonders whether the program hangs. */
const SIGN_OF_LIFE_MS = 10_000;
/** About thirty lines from each end of a failed program's output. */
const SHOWN_CHARACTERS = 2_500;
const SHOWN_OF_LINE = 160;

function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}

/**
 * Runs a program and prints what it does. The program's own output is shown only if it fails.
 *
 * @param {{ doing: string, takes: string }} words what the program does, and how long that may take
 * @returns {Promise<void>} rejects with the program's output if it fails; `lastLine` has the last line of it
 */
async function runAloud({ doing, takes }, command, args, options = {}) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${doing} (${takes})`);
  const life = setInterval(() => say(`  still ${doing}, ${seconds()} s`), SIGN_OF_LIFE_MS);
  try {
    await run(command, args, options);
  } finally {
    clearInterval(life);
  }
  say(`  done in ${seconds()} s`);
}

/** Runs a program silently. Rejects with its output if it fails, and with the system's `code` if it does not start. */
function run(command, args, { timeoutMs, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => {
      const words = `${command} does not run: ${error.message}`;
      reject(Object.assign(new Error(words), { code: error.code }));
    });
    child.once('close', (code, signal) => {
      if (code === 0) {
        resolve();
        return;
      }
      const failed = `${[command, ...args].join(' ')} failed (${signal ?? `exit code ${code}`}).`;
      reject(Object.assign(new Error(`${bounded(output.trim())}\n\n${failed}`), { lastLine: lastLine(output) }));
    });
  });
}

/** Keeps both ends: npm and compilers print the cause first, other programs last. */
function bounded(text) {
  if (text.length <= 2 * SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}\n[…]\n${text.slice(-SHOWN_CHARACTERS)}`;
}

function lastLine(text) {
  return text.trim().split('\n').at(-1).slice(-SHOWN_OF_LINE);
}

module.exports = { run, runAloud, say };
