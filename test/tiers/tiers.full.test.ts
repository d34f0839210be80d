import { meteredProject } from './metered-project';

describe('the CPU budget of npm test', () => {
  it('lets a run within the budget pass', async () => {
    const { runJest } = await meteredProject();
    expect(runJest(1_000_000, { ENFORCE_CPU_BUDGET: '1' }).status).toBe(0);
  });

  it('does not fail a run of some files, nor a run without ENFORCE_CPU_BUDGET', async () => {
    const { runJest } = await meteredProject();
    expect(runJest(1, { ENFORCE_CPU_BUDGET: '1' }, 'busy').status).toBe(0);
    expect(runJest(1, {})).toMatchObject({ status: 0, stderr: expect.stringContaining('the budget is 1') as string });
  });
});
