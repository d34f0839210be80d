import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction, createContext } from 'node:vm';
import { compileOnce } from './compile-once.cjs';
import { extract } from './dependency-extractor.cjs';
import { LONGEST, longestFirst } from './longest-first.cjs';
import { meteredProject } from './metered-project';

const ROOT = join(__dirname, '..', '..');

describe('the CPU budget of npm test', () => {
  it('fails a whole run over the budget, names the costly files in order, and says what to do', async () => {
    const { folder, runJest } = await meteredProject();
    const overBudget = join(folder, 'over-budget');
    const { status, stderr } = runJest(1, { ENFORCE_CPU_BUDGET: '1', OVER_CPU_BUDGET_FILE: overBudget });
    expect(existsSync(overBudget)).toBe(true);
    expect(stderr).toMatch(/Most CPU:\n.* s {2}test\/busy\.test\.js\n.* s {2}test\/idle\.test\.js\nCPU of 2 files/);
    expect(stderr).toContain('the budget is 1. Make the files above cheaper');
    expect(status).toBe(1);
  });
});

describe('the tests of what has changed', () => {
  it('include those that start the compiled program', () => {
    const code = `const MAIN = join(__dirname, '..', '..', 'dist', 'workers', 'main.js');`;
    const imports = extract(code, join(ROOT, 'test', 'support', 'worker-process.ts'), () => new Set(['node:path']));
    expect([...imports]).toEqual(['node:path', './../../workers/main']);
  });
});

describe('modules of the tests', () => {
  const compile = compileOnce(compileFunction);
  const compiled = (source: string, parameters: string[] = []) => {
    return compile(source, parameters, { filename: 'module.js', parsingContext: createContext() }) as {
      (argument?: number): number;
      readonly cachedDataRejected?: boolean;
    };
  };

  it('are compiled from the code cache the second time, and anew once their source has changed', () => {
    expect(compiled('return 1').cachedDataRejected).toBeUndefined();
    const again = compiled('return 1');
    expect(again.cachedDataRejected).toBe(false);
    expect(again()).toBe(1);
    expect(compiled('return 2')()).toBe(2);
    expect(compiled('return a', ['a'])(3)).toBe(3);
    expect(compiled('return a', ['b', 'a'])(3)).toBeUndefined();
  });
});

describe('the order of test files', () => {
  it('begins with files that exist', () => {
    expect(LONGEST.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('has the longest files first, and leaves the others as they were', () => {
    const paths = ['/test/b.test.ts', LONGEST[1]!, '/test/a.test.ts', LONGEST[0]!].map((name) => join(ROOT, name));
    expect(longestFirst(paths.map((path) => ({ path }))).map(({ path }) => path)).toEqual([
      paths[3],
      paths[1],
      paths[0],
      paths[2],
    ]);
  });
});
