#!/usr/bin/env node
// First, since it is for whatever is loaded after it.
import './compile-cache';
import { runDailies } from './run-dailies';
import { outliveReaders } from './streams';
import { processSurroundings } from './surroundings';

/** The command as a process: it ends when its verb has, whatever is still open. */
outliveReaders();
void runDailies(process.argv.slice(2), processSurroundings()).then((exitCode) => process.exit(exitCode));
