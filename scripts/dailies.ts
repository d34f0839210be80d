#!/usr/bin/env node
// The compile cache must be imported first: it caches only modules that are loaded after it.
import './process/compile-cache';
import { runDailies } from './run-dailies';
import { outliveReaders } from './process/streams';
import { processSurroundings } from './process/surroundings';

/** The process of the command. It exits when its verb has ended, even if handles are still open. */
outliveReaders();
void runDailies(process.argv.slice(2), processSurroundings()).then((exitCode) => process.exit(exitCode));
