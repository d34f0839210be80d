import { waitsForPeople } from '../../client';
import { liveStatusOf } from '../support/live-status';
import { betaShot, film, linkedShot } from '../support/rig';
import { until } from '../support/until';
import { approve, FOR_EVER, inState, rig, start } from './reviewed-shots';

describe('a shot that is reviewed', () => {
  const accepted = (): number => rig.sandbox.tasks().length;

  it('holds back shots that start on it until a person approves, and does not wait again in a later render', async () => {
    const before = accepted();
    const chain = film('chain', [betaShot('one'), linkedShot('two', 'one')]);
    await start(chain, { review: FOR_EVER });
    expect(await inState('chain', 'one', 'review')).toMatchObject({ filmTake: 1, review: { takesUnderWay: 0 } });
    expect(waitsForPeople(await liveStatusOf(rig, 'chain'))).toBe(true);
    expect(accepted()).toBe(before + 1);
    await until(async () => {
      const query = 'DailiesProduction = "chain" AND DailiesShotState = "review"';
      for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) return workflowId;
      return undefined;
    });
    expect(await approve('chain', 'one')).toBe(1);
    await inState('chain', 'two', 'review');
    expect(await approve('chain', 'two', 1)).toBe(1);
    expect(await rig.client.ended('chain')).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(accepted()).toBe(before + 2);

    await start(chain, { review: FOR_EVER, directed: true });
    expect(await rig.client.ended('chain')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 2);
  });
});
