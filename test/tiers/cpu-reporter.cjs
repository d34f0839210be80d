const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');
const { calibrationSeconds } = require('./calibration.cjs');

const SHOWN = 10;

/**
 * Prints the ten test files that took most CPU, and the CPU of the whole run.
 *
 * Option `budgetFile`: the path, from the project's root, of a JSON file. Its `calibrations` is the limit for a whole
 * run, in units of the calibration. A run that takes more fails if ENFORCE_CPU_BUDGET is 1; otherwise the
 * reporter only prints the result. If OVER_CPU_BUDGET_FILE names a file, such a run also writes it.
 */
module.exports = class CpuReporter {
  constructor(globalConfig, { budgetFile } = {}) {
    this.rootDir = globalConfig.rootDir;
    // The budget is for all files: it does not apply to a run of some of them.
    this.partial = globalConfig.nonFlagArgs.length > 0 || globalConfig.onlyChanged || globalConfig.findRelatedTests;
    this.budget =
      budgetFile === undefined
        ? undefined
        : JSON.parse(readFileSync(join(this.rootDir, budgetFile), 'utf8')).calibrations;
  }

  onRunStart() {
    this.folder = mkdtempSync(join(tmpdir(), 'dailies-cpu-'));
    process.env.DAILIES_CPU_RECORD = join(this.folder, 'record.jsonl');
    if (this.hasBudget()) this.calibration = calibrationSeconds();
  }

  onRunComplete() {
    const files = readRecord(process.env.DAILIES_CPU_RECORD).sort((one, other) => other.cpuSeconds - one.cpuSeconds);
    rmSync(this.folder, { recursive: true, force: true });
    const total = files.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    const lines = files.slice(0, SHOWN).map(({ file, cpuSeconds }) => {
      return `${cpuSeconds.toFixed(1).padStart(7)} s  ${relative(this.rootDir, file)}`;
    });
    const minutes = (total / 60).toFixed(1);
    process.stderr.write(`\nMost CPU:\n${lines.join('\n')}\nCPU of ${files.length} files: ${minutes} min`);
    if (this.hasBudget()) this.judge(total);
    else process.stderr.write('\n');
  }

  hasBudget() {
    return this.budget !== undefined && !this.partial;
  }

  judge(total) {
    // The machine may have been slower at one end of the run than at the other.
    const calibrations = Math.round(total / ((this.calibration + calibrationSeconds()) / 2));
    process.stderr.write(`, ${calibrations} calibrations of ${this.budget}\n`);
    if (calibrations <= this.budget) return;
    const words =
      `The tests took ${calibrations} calibrations of CPU; the budget is ${this.budget}. ` +
      'Make the files above cheaper, or move tests into a .full.test.ts file; one story of each feature stays.';
    process.stderr.write(`${words}\n`);
    if (process.env.ENFORCE_CPU_BUDGET !== '1') return;
    this.error = new Error(words);
    // Jest's exit code does not tell a run over the budget from one with a failed test.
    if (process.env.OVER_CPU_BUDGET_FILE) writeFileSync(process.env.OVER_CPU_BUDGET_FILE, words);
  }

  /** Jest fails a run whose reporter has an error. */
  getLastError() {
    return this.error;
  }
};

function readRecord(path) {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // No file has run.
  }
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
