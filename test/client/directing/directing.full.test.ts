import { Refused } from '../../../client';
import { knownProduction, knownRender } from '../../../client/directing';
import { readFrozen } from '../../../client/records/read-frozen';
import { betaShot, film, pictureShot } from '../../support/rig';
import {
  ACCOUNT,
  approveAll,
  carryOut,
  direction,
  inReview,
  prompts,
  proposed,
  requestFor,
  REVIEWED,
  rig,
  statusWhen,
} from '../concurrent-commands';

const UNATTENDED = { maxInFlight: null, unattended: true };

/** Commands of several people or terminals to one production at the same moment. */
describe('a production that several commands direct', () => {
  it('follows the running version if a client died before it recorded it', async () => {
    await rig.client.render(await requestFor(film('ended-client', [pictureShot('a'), pictureShot('b')]), REVIEWED));
    await statusWhen('ended-client', inReview);
    const { productions } = rig.store;
    const before = await productions.begun('ended-client');
    await carryOut(await proposed('ended-client', 'a'));
    await productions.begin('ended-client', before!);
    await expect(carryOut(await proposed('ended-client', 'b'))).rejects.toThrow(/changed meanwhile/);
    await carryOut(await proposed('ended-client', 'b'));
    const last = await approveAll('ended-client');
    await productions.begin('ended-client', before!);
    const { production } = await knownProduction(rig.store, ACCOUNT, 'ended-client');
    expect(production.shots.map(({ parameters }) => parameters['prompt'])).toEqual(await prompts(last));
    expect(await prompts(last)).toEqual(['better a', 'better b']);
  });

  it('renders one of two changes to an ended production, and refuses the other', async () => {
    await rig.client.render(await requestFor(film('ended', [pictureShot('a'), pictureShot('b')])));
    await rig.client.ended('ended');
    const [one, two] = [await proposed('ended', 'a'), await proposed('ended', 'b')];
    const said = await Promise.allSettled([carryOut(one), carryOut(two)]);
    const refused = said.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toEqual([expect.any(Refused)]);
    const { renderId, state } = await rig.client.ended('ended');
    expect(state).toBe('completed');
    expect(await rig.client.productions.begun('ended')).toMatchObject({ renderId });
    expect(await rig.client.productions.interrupted(ACCOUNT)).not.toContain('ended');
  });

  it('can be directed after two renders of two versions, whichever runs', async () => {
    const versions = ['one', 'other'].map((prompt) => film('race', [pictureShot('a', { parameters: { prompt } })]));
    const requests = await Promise.all(versions.map((version) => requestFor(version, REVIEWED)));
    const said = await Promise.allSettled(requests.map((request) => rig.client.render(request)));
    expect(said.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { frozen } = await statusWhen('race', inReview);
    expect(await knownProduction(rig.store, ACCOUNT, 'race')).toMatchObject({
      production: await readFrozen(rig.store.assets, frozen),
      plan: requests.find((request) => request.production.sha256 === frozen.sha256)!.plan,
    });
    await approveAll('race');
  });

  it('has its plan again once a render joins it, and can be approved without it', async () => {
    const request = await requestFor(film('planless', [pictureShot('a')]), REVIEWED);
    await rig.client.render(request);
    const { renderId, frozen, startedAt } = await statusWhen('planless', inReview);
    const lost = { renderId, production: frozen, account: ACCOUNT, at: startedAt };
    await rig.client.productions.begin('planless', lost);
    expect(await knownRender(rig.store, ACCOUNT, 'planless')).toMatchObject({ isOpen: true });
    await rig.client.render(request);
    expect(await knownProduction(rig.store, ACCOUNT, 'planless')).toMatchObject({ plan: request.plan });
    await approveAll('planless');
  });

  it('records nothing of a change that comes too late', async () => {
    const slow = betaShot('a', { parameters: { ...betaShot('a').parameters, duration: 6 } });
    // The production waits for the paid task until the change has arrived.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await rig.client.render(await requestFor(film('drain', [slow, betaShot('b')])));
    await statusWhen('drain', ({ shots }) => shots.some(({ takes }) => takes.some(({ taskId }) => taskId !== null)));
    const proposal = await proposed('drain', 'a');
    await rig.client.cancel('drain');
    await expect(carryOut(proposal)).rejects.toThrow(/being cancelled/);
    expect(await direction('drain', 'a')).toBeUndefined();
    rig.sandbox.faults.clear();
    await rig.client.ended('drain');
  });

  it('is not joined by a render whose file has other rules, and continues by its own', async () => {
    const production = film('joined', [pictureShot('a')]);
    await rig.client.render(await requestFor(production, REVIEWED));
    for (const rules of [{ ...REVIEWED, takes: 2 }, { ...REVIEWED, onFailure: 'skip' as const }, { review: null }]) {
      await expect(rig.client.render(await requestFor(production, rules))).rejects.toThrow(/dailies edit joined/);
    }
    const asked = await requestFor(production, { ...REVIEWED, directed: true });
    expect(await rig.client.render(asked)).toEqual({ attached: true });
    expect((await approveAll('joined')).shots).toMatchObject([{ takes: [{ take: 1 }] }]);
  });

  it('is not reviewed during an unattended render, but again in the next one', async () => {
    const a = film('unattended', [pictureShot('a')]);
    await rig.client.render({ ...(await requestFor(a, REVIEWED)), flags: UNATTENDED });
    await rig.client.ended('unattended');
    const later = await proposed('unattended', 'a');
    expect(later.follows.shots).toMatchObject([{ review: true }]);

    const both = film('unattended', [pictureShot('a'), pictureShot('b')]);
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    await rig.client.render({ ...(await requestFor(both, REVIEWED)), flags: UNATTENDED });
    await statusWhen('unattended', ({ shots }) => shots[1]?.state === 'parked');
    const now = await proposed('unattended', 'a');
    expect(now.follows.shots).toMatchObject([{ review: false }, {}]);
    await carryOut(now);
    await statusWhen('unattended', ({ shots }) => shots[0]?.filmTake === 2 && shots[0].state === 'completed');
    await rig.client.resolve('unattended', 'b', { kind: 'skip' });
    await rig.client.ended('unattended');

    await carryOut(await proposed('unattended', 'a'));
    await statusWhen('unattended', ({ shots }) => shots[0]?.state === 'review');
    await rig.client.approve('unattended', 'a', null);
    await rig.client.ended('unattended');
  });

  it('compares a new take with the rejected one, not with the one of the last render', async () => {
    await rig.client.render(await requestFor(film('compared', [pictureShot('a')]), REVIEWED));
    await approveAll('compared');
    await carryOut(await proposed('compared', 'a', 'another a'));
    await statusWhen('compared', inReview);
    const { follows } = await proposed('compared', 'a', 'the best a');
    expect(follows.shots).toMatchObject([
      { take: 2, changes: [{ parameter: 'prompt', from: 'another a', to: 'the best a' }] },
    ]);
    await approveAll('compared');
  });
});
