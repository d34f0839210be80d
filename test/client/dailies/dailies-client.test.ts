import { Client } from '@temporalio/client';
import { createDailiesClient } from '../../../client';
import { GENERATIONS } from '../../../contracts/identifiers';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { betaShot, film, type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';
import { account, requestFor, startHeld } from '../requests';
import { recordsOf } from '../../support/store-records';

describe('the client', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  it('returns the last status of a production, even if archiving failed', async () => {
    const production = film('unarchived', [betaShot('one')]);
    const first = await rig.render(production);
    const second = await rig.render(production);
    expect(second.renderId).not.toBe(first.renderId);
    await recordsOf(rig.store).replace('productions/unarchived/status', first);
    expect(await rig.client.status('unarchived')).toMatchObject({ renderId: second.renderId, state: 'completed' });
  });

  /** A connection that starts no workflow, as if the process died in that moment. */
  function startingThen(error: Error): Client {
    const { connection } = rig.temporal;
    return new Client({ connection, interceptors: { workflow: [{ startWithDetails: () => Promise.reject(error) }] } });
  }

  it('records a render before Temporal knows of it', async () => {
    const request = await requestFor(rig, film('crashed', [betaShot('one')]));
    const dying = createDailiesClient({ temporal: startingThen(new Error('died here')), store: rig.store, account });
    await expect(dying.render(request)).rejects.toThrow('died here');
    expect(await rig.client.productions.begun('crashed')).toMatchObject({
      production: request.production,
      account: 'sandbox',
    });
    expect(await rig.client.productions.interrupted('sandbox')).toContain('crashed');
    expect(await rig.client.status('crashed')).toMatchObject({ state: 'running', shots: [{ state: 'pending' }] });
    expect(await rig.client.productions.interrupted('another')).toEqual([]);
  });

  it('leaves a production held and its record unchanged if another file or account is refused', async () => {
    const { holds } = rig.store;
    const request = await requestFor(rig, film('edited', [betaShot('one')]));
    await holds.hold('edited', 'it was interrupted');
    await startHeld(rig, request);
    const other = await requestFor(rig, film('edited', [betaShot('one', { caption: 'Another one.' })]));
    await expect(rig.client.render(other)).rejects.toThrow('dailies edit edited FILE');
    const stranger = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'another' });
    await expect(stranger.render(request)).rejects.toThrow('running for the account sandbox');

    expect(await rig.client.productions.begun('edited')).toMatchObject({ production: request.production });
    const status = await rig.client.status('edited');
    expect(status).toMatchObject({ state: 'running', reason: expect.stringContaining('held') });
    expect(status?.shots[0]?.reason).toBeNull();
    expect(rig.sandbox.tasks().filter(({ parameters }) => JSON.stringify(parameters).includes('edited'))).toEqual([]);
    await rig.client.cancel('edited');
    expect(await rig.client.ended('edited')).toMatchObject({ state: 'cancelled' });
  });

  it('joins a single task that is running for the same request, and no other', async () => {
    const task = async (caption: string) => {
      const production = { ...film(GENERATIONS, [betaShot('poster', { caption })]), assembly: undefined };
      const { production: ref, plan } = await requestFor(
        rig,
        JSON.parse(JSON.stringify(production)) as FrozenProduction,
      );
      return { generationId: 'poster', production: ref, shot: plan.shots[0]!, mode: 'submit' as const };
    };
    const before = rig.sandbox.tasks().length;
    // No task reports its end before all have asked.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    const first = rig.client.generate(await task('One.'));
    await until(() => rig.sandbox.tasks().length > before);
    const stranger = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'another' });
    const same = rig.client.generate(await task('One.'));
    const [other, strange] = await Promise.allSettled([
      rig.client.generate(await task('Another.')),
      stranger.generate(await task('One.')),
    ]);
    rig.sandbox.faults.clear();
    expect(other).toMatchObject({ status: 'rejected', reason: { name: 'Refused' } });
    expect(strange).toMatchObject({ status: 'rejected', reason: { name: 'Refused' } });
    expect(await same).toMatchObject({ state: 'completed' });
    expect(await first).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(before + 1);
  });
});
