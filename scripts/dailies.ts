#!/usr/bin/env node
// Import the compile cache first: only modules that are loaded later are cached.
import './process/compile-cache';
import { INTERRUPTS } from './process/interrupt';
import { runDailies } from './run-dailies';
import { allWritten, outliveReaders } from './process/streams';
import { processSurroundings } from './process/surroundings';

outliveReaders();
// Exit when the command has ended, even if handles are still open.
void runDailies(process.argv.slice(2), processSurroundings()).then(async (exitCode) => {
  // The command has ended, so a signal now ends the process, even if a reader of its output does not read.
  for (const signal of INTERRUPTS) process.removeAllListeners(signal);
  await allWritten(process);
  process.exit(exitCode);
});
