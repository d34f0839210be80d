const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { cpuSeconds } = require('./cpu-seconds.cjs');

const ROUNDS = 3;

/** Started in each round: a small part of the tests' processes, so that the clock's hundredths matter little. */
const PROCESSES = 3;

/**
 * CPU seconds of a fixed piece of work like that of the tests: JSON, strings, hashes, and processes that start. The
 * least of three rounds. It takes about a second.
 *
 * A CPU budget in units of this work is about the same on a slow machine and on a fast one. Processes are a part of it
 * since machines whose loops are equally fast may differ by half in what a process costs.
 */
function calibrationSeconds() {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) least = Math.min(least, secondsOf(work));
  return least;
}

function secondsOf(task) {
  const before = cpuSeconds();
  task();
  return cpuSeconds() - before;
}

function work() {
  const shots = Array.from({ length: 200 }, (_, number) => ({
    id: `shot-${number}`,
    prompt: 'the lighthouse '.repeat(20),
  }));
  const hash = createHash('sha256');
  for (let turn = 0; turn < 120; turn += 1) hash.update(JSON.stringify(JSON.parse(JSON.stringify({ turn, shots }))));
  for (let count = 0; count < PROCESSES; count += 1) spawnSync(process.execPath, ['--eval', '']);
  return hash.digest('hex');
}

module.exports = { calibrationSeconds };
