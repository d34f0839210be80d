import { MockActivityEnvironment } from '@temporalio/testing';
import { createAwaitRun } from '../../../activities/run/await-run';
import { type RunEnd } from '../../../contracts/render/run-end';
import { type AwaitedRun } from '../../../contracts/render/scheduled-run';

/** What Temporal says of a run at each look: its outcome, that it is under way, or nothing. */
type Look = RunEnd | 'under-way' | 'no answer';

const RUN: AwaitedRun = { kind: 'production', workflowId: 'production/store/film' };
const FAILED: RunEnd = { state: 'incomplete', reason: 'no film' };
const HAD: RunEnd = { state: 'had' };

describe('the end of a run that another workflow began', () => {
  async function endOf(looks: readonly Look[], run = RUN): Promise<RunEnd> {
    let heartbeatDetails: unknown;
    for (const [index, look] of looks.entries()) {
      const endOfRun = () => (look === 'no answer' ? Promise.reject(new Error('no answer')) : Promise.resolve(look));
      const schedules = { standing: () => Promise.resolve('halted' as const), endOf: endOfRun };
      const environment = new MockActivityEnvironment({ attempt: index + 1, heartbeatDetails });
      environment.on('heartbeat', (details: unknown) => (heartbeatDetails = details));
      const looking: Promise<RunEnd> = environment.run(createAwaitRun({ schedules }), run);
      if (index === looks.length - 1) return looking;
      await expect(looking).rejects.toThrow();
    }
    throw new Error('no look');
  }

  it.each<readonly [string, readonly Look[], RunEnd]>([
    ['is not its failure if it had ended before', [FAILED], HAD],
    ['is not its failure if it had ended before Temporal answered for the first time', ['no answer', FAILED], HAD],
    ['is its failure if it was under way', ['under-way', FAILED], FAILED],
    [
      'is its failure if it was under way and Temporal did not always answer',
      ['under-way', 'no answer', FAILED],
      FAILED,
    ],
    ['is that it waits, whenever that began', [{ state: 'waiting' }], { state: 'waiting' }],
  ])('%s', async (_what, looks, end) => {
    expect(await endOf(looks)).toEqual(end);
  });

  it('is its failure if it was under way at an earlier call', async () => {
    expect(await endOf([FAILED], { ...RUN, wasUnderWay: true })).toEqual(FAILED);
  });
});
