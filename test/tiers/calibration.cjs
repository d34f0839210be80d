const { createHash } = require('node:crypto');

const ROUNDS = 5;

/**
 * CPU seconds of a fixed piece of work like that of the tests: JSON, strings, hashes. The least of five rounds.
 *
 * A CPU budget in units of this loop is about the same on a slow machine and on a fast one.
 */
function calibrationSeconds() {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) least = Math.min(least, secondsOf(work));
  return least;
}

function secondsOf(task) {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function work() {
  const shots = Array.from({ length: 200 }, (_, number) => ({
    id: `shot-${number}`,
    prompt: 'the lighthouse '.repeat(20),
  }));
  const hash = createHash('sha256');
  for (let turn = 0; turn < 120; turn += 1) hash.update(JSON.stringify(JSON.parse(JSON.stringify({ turn, shots }))));
  return hash.digest('hex');
}

module.exports = { calibrationSeconds };
