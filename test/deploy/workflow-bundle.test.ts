import { readFileSync } from 'node:fs';
import { join } from 'node:path';

describe('the workflow bundle', () => {
  it('contains only Temporal and the workflows, since every worker keeps it in memory', () => {
    const bundle = readFileSync(join(__dirname, '..', '..', 'dist', 'workflow-bundle.js'), 'utf8');
    const packages = [...bundle.matchAll(/node_modules\/((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(packages)].sort()).toEqual([
      '@temporalio/common',
      '@temporalio/workflow',
      'long',
      'ms',
      'nexus-rpc',
    ]);
  });
});
