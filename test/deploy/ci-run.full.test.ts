import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Replaces npm: checks end as configured, and the test command writes the configured results. */
const NPM = `#!/bin/bash
case "$*" in
  test*|"run test:full"*)
    echo "Tests: as jest says, CPU budget \${ENFORCE_CPU_BUDGET:-not} enforced"
    for word in "$@"; do case "$word" in --outputFile=*) file="\${word#--outputFile=}" ;; esac; done
    case "$*" in
      *--runTestsByPath*) echo "again: \${@: -1}"; text="$AGAIN_RESULTS"; code="\${AGAIN_CODE:-0}" ;;
      test*) text="$RESULTS"; code="\${TEST_CODE:-0}"; [ -z "$OVER_BUDGET" ] || echo over > "$OVER_CPU_BUDGET_FILE" ;;
      *) text="$FULL_RESULTS"; code="\${FULL_CODE:-0}" ;;
    esac
    [ -z "$text" ] || echo "$text" > "$file"
    exit "$code" ;;
  *) case "$*" in *"$BROKEN_CHECK") exit 1 ;; esac ;;
esac
`;

/** Replace the benchmark: its set-up and its short form end as configured. */
const BENCH_SETUP = 'process.exit(Number(process.env.SETUP_CODE ?? 0));';
const BENCH =
  'console.log(`ratios of ${process.argv.slice(2).join(" ")}`); process.exit(Number(process.env.BENCH_CODE ?? 0));';

describe('the CI run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-ci-'));
    for (const part of ['.ci', 'bin', 'scripts/setup', 'bench/peers/dist']) {
      mkdirSync(join(folder, part), { recursive: true });
    }
    cpSync(join(__dirname, '..', '..', '.ci'), join(folder, '.ci'), { recursive: true });
    for (const name of ['setup.cjs', 'browser.cjs']) writeFileSync(join(folder, 'scripts', 'setup', name), '');
    writeFileSync(join(folder, 'bench', 'peers', 'setup.cjs'), BENCH_SETUP);
    writeFileSync(join(folder, 'bench', 'peers', 'dist', 'main.js'), BENCH);
    for (const [program, words] of Object.entries({ npm: NPM, npx: '#!/bin/bash\nexit "${LINT_CODE:-0}"\n' })) {
      writeFileSync(join(folder, 'bin', program), words);
      chmodSync(join(folder, 'bin', program), 0o755);
    }
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const results = (numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites = 0) =>
    JSON.stringify({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites });
  const run = (env: Record<string, string>) => {
    const { status, stdout } = spawnSync(join(folder, '.ci', 'run'), {
      encoding: 'utf8',
      env: {
        BROKEN_CHECK: 'none',
        FULL_RESULTS: results(3, 0),
        ...env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      },
    });
    const lines = stdout.trimEnd().split('\n');
    return { status, lines, last: lines.at(-1) };
  };

  it("shows the benchmark's ratios and jest's words, and ends with one line of its own", () => {
    const { status, lines } = run({ RESULTS: results(12, 0) });
    const ratios = expect.stringMatching(/^ratios of --short .* crash-on-wire$/) as string;
    expect(lines).toEqual([
      ratios,
      'Tests: as jest says, CPU budget 1 enforced',
      'Tests: as jest says, CPU budget not enforced',
      '15 passed, 0 failed',
    ]);
    expect(status).toBe(0);
  });

  it('fails if a test fails, or a suite does not load', () => {
    expect(run({ RESULTS: results(11, 1), TEST_CODE: '1' })).toMatchObject({ status: 1, last: '14 passed, 1 failed' });
    expect(run({ RESULTS: results(11, 0, 1), TEST_CODE: '1' })).toMatchObject({
      status: 1,
      last: '14 passed, 1 failed',
    });
  });

  it('fails if no test has run', () => {
    expect(run({ RESULTS: results(0, 0) })).toMatchObject({ status: 1, last: '3 passed, 0 failed' });
    expect(run({ RESULTS: '' })).toMatchObject({ status: 1, last: '3 passed, 0 failed' });
    expect(run({ RESULTS: results(12, 0), FULL_RESULTS: '' })).toMatchObject({
      status: 1,
      last: '12 passed, 0 failed',
    });
  });

  it('fails if a test of the full tier fails', () => {
    const codes = { RESULTS: results(12, 0), FULL_RESULTS: results(2, 1), FULL_CODE: '1' };
    expect(run(codes)).toMatchObject({ status: 1, last: '14 passed, 1 failed' });
  });

  describe('test files that fail', () => {
    const suites = (...names: readonly string[]) => ({
      ...(JSON.parse(results(12 - names.length, names.length)) as object),
      testResults: [
        ...names.map((name) => ({
          name,
          status: 'failed',
          assertionResults: [{ status: 'failed' }, { status: 'passed' }],
        })),
        { name: '/good.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
      ],
    });
    const runAgain = (first: object, again: object, codes: Record<string, string> = {}) =>
      run({ RESULTS: JSON.stringify(first), TEST_CODE: '1', AGAIN_RESULTS: JSON.stringify(again), ...codes });

    it('are run once more by themselves, and named at the end if they pass then', () => {
      const passes = { numPassedTests: 2, numFailedTests: 0, testResults: [{ name: '/a.test.ts', status: 'passed' }] };
      const { status, lines, last } = runAgain(suites('/a.test.ts'), passes);
      expect(lines).toContain('again: /a.test.ts');
      expect(lines).toContain('PASSED ONLY WHEN RUN AGAIN: /a.test.ts');
      expect({ status, last }).toEqual({ status: 0, last: '15 passed, 0 failed' });
    });

    it('fail the run if one fails again', () => {
      const fails = { numPassedTests: 1, numFailedTests: 1, testResults: [{ name: '/a.test.ts', status: 'failed' }] };
      const { status, last } = runAgain(suites('/a.test.ts'), fails, { AGAIN_CODE: '1' });
      expect({ status, last }).toEqual({ status: 1, last: '14 passed, 1 failed' });
    });

    it('do not hide that the run was over its CPU budget', () => {
      const passes = { numPassedTests: 2, numFailedTests: 0, testResults: [{ name: '/a.test.ts', status: 'passed' }] };
      const { status, lines } = runAgain(suites('/a.test.ts'), passes, { OVER_BUDGET: '1' });
      expect(lines).toContain('CHECK FAILED: npm test takes more CPU than its budget');
      expect(status).toBe(1);
    });

    it('are not run again if they are more than three, or if none of them failed', () => {
      const many = runAgain(suites('/a', '/b', '/c', '/d'), {});
      expect(many).toMatchObject({ status: 1, last: '11 passed, 4 failed' });
      const overBudget = runAgain(suites(), {});
      expect(overBudget).toMatchObject({ status: 1, last: '15 passed, 0 failed' });
      expect([...many.lines, ...overBudget.lines].join('\n')).not.toContain('again');
    });
  });

  it('fails if a check fails, names it, and still runs the tests', () => {
    const { status, lines, last } = run({ RESULTS: results(12, 0), BROKEN_CHECK: 'lint' });
    expect(lines).toContain('CHECK FAILED: npm run lint');
    expect(last).toBe('15 passed, 0 failed');
    expect(status).toBe(1);
  });

  it('fails if the fuzz run has found something', () => {
    const { status, lines, last } = run({ RESULTS: results(12, 0), BROKEN_CHECK: 'fuzz -- --minutes 1' });
    expect(lines).toContain('CHECK FAILED: npm run fuzz -- --minutes 1');
    expect(last).toBe('15 passed, 0 failed');
    expect(status).toBe(1);
  });

  describe('the benchmark of the peers', () => {
    const passed = { RESULTS: results(12, 0) };

    it.each([
      [
        { BENCH_CODE: '3' },
        'the benchmark of the peers has wrong results: lost, paid twice, different, or not compared',
      ],
      [{ BENCH_CODE: '1' }, 'the benchmark of the peers has broken off, whatever its results'],
      [{ BENCH_CODE: '137' }, 'the benchmark of the peers has broken off, whatever its results'],
      [{ SETUP_CODE: '1' }, 'the benchmark of the peers cannot be set up: its packages or its sources are at fault'],
      [{ LINT_CODE: '1' }, 'npx eslint bench/peers'],
    ])('fails the run if it ends with %j, and the line says why', (codes, words) => {
      const { status, lines, last } = run({ ...passed, ...codes });
      expect(lines).toContain(`CHECK FAILED: ${words}`);
      expect(last).toBe('15 passed, 0 failed');
      expect(status).toBe(1);
    });

    it.each([
      [{ BENCH_CODE: '2' }, 'it cannot be run here'],
      [{ SETUP_CODE: '2' }, 'its packages cannot be had'],
    ])('is left out if it ends with %j, and the line says so', (codes, words) => {
      const { status, lines } = run({ ...passed, ...codes });
      expect(lines).toContain(`WITHOUT THE BENCHMARK OF THE PEERS: ${words}`);
      expect(status).toBe(0);
    });
  });
});
