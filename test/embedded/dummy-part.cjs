'use strict';
// A part of the embedded set that does nothing: it notes what happens to it, with a child that knows nothing of anything.
const { spawn } = require('node:child_process');
const { appendFileSync } = require('node:fs');

process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.once('message', ({ settings, announced }) => {
  const { name, journal, finishMs = 0, dieAfterMs, failAtStart = false, ownGroup = false } = settings;
  const note = (event, more) =>
    appendFileSync(journal, `${JSON.stringify({ name, event, pid: process.pid, ...more })}\n`);
  if (failAtStart) {
    process.stderr.write('nothing works\n');
    process.exit(7);
  }
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: ownGroup });
  process.send({ started: child.pid });
  note('start', { child: child.pid, announced, given: process.env.FIRST_ADDRESS });
  process.once('SIGTERM', () => {
    setTimeout(() => {
      note('finish');
      process.exit(0);
    }, finishMs);
  });
  process.send({
    ready: {
      [`${name.toUpperCase()}_ADDRESS`]: announced?.[`${name.toUpperCase()}_ADDRESS`] ?? `${name}:${process.pid}`,
    },
  });
  if (dieAfterMs !== undefined) setTimeout(() => process.exit(9), dieAfterMs);
});
