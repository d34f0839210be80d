import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Mutation {
  readonly name: string;
  readonly guard: string;
  readonly file: string;
  readonly replace: string;
  readonly find: string;
  readonly tests: readonly string[];
}

interface Failure {
  readonly file: string;
  readonly tests: readonly string[];
  readonly passed: readonly string[];
}

interface TestRuns {
  readonly filesOf: (hint: string, tier: string) => readonly string[];
  readonly failureOf: (folder: string, result: object) => Failure;
  readonly provenAgainst: (failure: Failure, unmutated: Failure | undefined) => readonly string[];
}

// The modules are plain JavaScript without types.
const { MUTATIONS } = jest.requireActual<{ MUTATIONS: readonly Mutation[] }>('./mutations.cjs');
const { failureOf, filesOf, provenAgainst } = jest.requireActual<TestRuns>('./test-runs.cjs');
const { mutated } = jest.requireActual<{ mutated: (mutation: Mutation) => string }>('./work-copy.cjs');

describe('the mutations of the guarantees', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
    '%s can be applied, and names tests that exist',
    (_name, mutation) => {
      expect(mutated(mutation)).toContain(mutation.replace);
      for (const hint of mutation.tests) expect([hint, filesOf(hint, 'full')]).not.toEqual([hint, []]);
    },
  );

  it('refuses a text that is not there exactly once', () => {
    const [{ file, find }] = MUTATIONS as [Mutation];
    const mutation = { ...MUTATIONS[0]!, file, find: `${find} // not there` };
    expect(() => mutated(mutation)).toThrow('0 times');
    expect(() => mutated({ ...mutation, find: 'const' })).toThrow(/\d+ times/);
  });

  it('are those of docs/guarantees.md, in the same order', () => {
    const page = readFileSync(join(__dirname, '..', '..', 'docs', 'guarantees.md'), 'utf8');
    const [, table = ''] = page.split('| guard removed');
    const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(MUTATIONS.map(({ guard }) => guard));
  });

  it('have unique names', () => {
    const names = MUTATIONS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('a failed test file', () => {
  const provenBy = (...failures: readonly (string | null)[]) => {
    const assertionResults = failures.map((message, index) => ({
      fullName: `test ${index}`,
      status: message === null ? 'passed' : 'failed',
      failureMessages: message === null ? [] : [message],
    }));
    return failureOf('/copy', { name: '/copy/test/store/a.test.ts', assertionResults });
  };

  it('proves something by the tests that failed', () => {
    expect(provenBy(null, 'expected 1', 'expected 2')).toEqual({
      file: 'test/store/a.test.ts',
      tests: ['test 1', 'test 2'],
      passed: ['test 0'],
    });
    expect(provenBy('expected 1').tests).toEqual(['test 0']);
  });

  it('proves nothing if it does not load, its set-up fails, or it takes too long', () => {
    expect(provenBy().tests).toEqual([]);
    expect(provenBy('no server', 'no server').tests).toEqual([]);
    const timeout = 'thrown: "Exceeded timeout of 5000 ms for a test.';
    expect(provenBy(null, `${timeout} 1`, `${timeout} 2`).tests).toEqual([]);
  });

  it('proves nothing by tests that fail without the mutation too, and all by the others', () => {
    const timeout = 'thrown: "Exceeded timeout of 5000 ms for a test.';
    const mutated = provenBy('expected 1', 'expected 2', timeout);
    expect(provenAgainst(mutated, undefined)).toEqual(['test 0', 'test 1']);
    expect(provenAgainst(mutated, provenBy(null, 'expected 2', timeout))).toEqual(['test 0']);
    expect(provenAgainst(mutated, provenBy())).toEqual([]);
  });
});
