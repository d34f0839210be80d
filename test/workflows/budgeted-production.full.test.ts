import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { checkRunningBudget } from '../../client/temporal/running-budget';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { liveStatusOf } from '../support/live-status';
import { betaShot, film, planOf, resetProduction } from '../support/rig';
import { until } from '../support/until';
import { begin, charges, picture, PICTURE, pictures, rig, states, tasks, waiting } from './budgeted-pictures';

describe('a production with a budget', () => {
  const prompts = (id: string): readonly string[] => tasks(id).map(({ prompt }) => prompt);
  async function permitsGiven(id: string): Promise<number> {
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, id));
    const { events } = await handle.fetchHistory();
    const answers = (events ?? []).flatMap(({ signalExternalWorkflowExecutionInitiatedEventAttributes: signal }) =>
      signal?.signalName === 'reservationAnswer' ? (signal.input?.payloads ?? []) : [],
    );
    return answers.filter(({ data }) => Buffer.from(data!).toString().includes('"waitsFor":null')).length;
  }

  it('has its budget before its charges are counted, so that a command that joins it is not refused', async () => {
    // A link to itself in the place of a folder of the ledger cannot be read, so the charges cannot be counted yet.
    const blocked = join(rig.store.folder, 'ledger', 'uncounted');
    await mkdir(dirname(blocked), { recursive: true });
    await symlink(blocked, blocked);
    await begin(pictures('uncounted', 'a'), 7);
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'uncounted'));
    await until(async () => (await rig.client.status('uncounted'))?.uncountedBudget?.credits === 7);
    await checkRunningBudget(handle, 'uncounted', { credits: 7 });
    await expect(checkRunningBudget(handle, 'uncounted', { credits: 8 })).rejects.toThrow('a budget of 7 credits');
    await rm(blocked);
    const ended = await rig.client.ended('uncounted');
    expect(ended).toMatchObject({ state: 'completed', budget: { credits: 7, spent: PICTURE } });
    expect(ended).not.toHaveProperty('uncountedBudget');
  });

  it('sends one task first if the price is unknown, and prices the others by its charge', async () => {
    const texts = ['a', 'b', 'c'].map((id) =>
      picture(id, 'first', { model: { id: 'quill-text-1', output: 'text' }, parameters: { prompt: `first: ${id}` } }),
    );
    await begin(film('first', texts), 10);
    expect(await rig.client.ended('first')).toMatchObject({ state: 'completed', budget: { spent: 3 } });
    const [first, ...others] = (await Promise.all(['a', 'b', 'c'].map((id) => rig.store.ledger.takes('first', id))))
      .flat()
      .toSorted((a, b) => (a.sendings[0]!.sent!.at < b.sendings[0]!.sent!.at ? -1 : 1));
    for (const { sendings } of others) expect(sendings[0]!.sent!.at >= first!.settled!.at).toBe(true);
  });

  it('lets the next task of a kind go first if the first one is overdue and the budget is raised', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const clips = ['a', 'b'].map((id) =>
      betaShot(id, { parameters: { prompt: `late: ${id}`, duration: 4, resolution: '480p', colorDepth: '8bit' } }),
    );
    await begin(film('late', clips), 50, { deadlineSeconds: 20 });
    const late = await until(async () => {
      const status = await waiting('late');
      return status.shots.some(({ parked }) => parked?.for === 'overdue') && status;
    });
    const waits = late.shots.find(({ parked }) => parked?.for === 'budget');
    expect(waits?.reason).toMatch(
      /^nobody knows its price, and 50 of 50 credits are held for "[ab]" until the price is known$/,
    );
    await rig.client.setBudget('late', 60);
    await until(async () => states((await rig.client.status('late'))!).includes('completed'));
    await rig.client.cancel('late');
    expect((await rig.client.ended('late')).budget?.spent).toBeGreaterThan(0);
  });

  it("does not send a larger picture that may not fit, if only a smaller one's price is known", async () => {
    const clip = (id: string, resolution: string): FrozenShot =>
      betaShot(id, { parameters: { prompt: `larger: ${id}`, duration: 4, resolution, colorDepth: '8bit' } });
    // The sandbox takes 20 credits for the first, and 40 for the second.
    await begin(film('larger', [clip('draft', '480p')]), 55);
    await rig.client.ended('larger');
    await begin(film('larger', [clip('draft', '480p'), clip('final', '720p')]), 55);
    const { shots } = await waiting('larger');
    expect(shots[1]?.reason).toBe(
      'it may need 45 credits, estimated by 5 credits a second at 480p, and 35 of 55 credits are left',
    );
    expect(charges('larger')).toBe(20);
    await rig.client.setBudget('larger', 65);
    expect(await rig.client.ended('larger')).toMatchObject({ state: 'completed', budget: { spent: 60, reserved: 0 } });
  });

  it('continues when a parked shot is skipped or gets an own clip, and refuses to resubmit it', async () => {
    await begin(pictures('answered', 'a', 'b', 'c'), 3);
    const { shots } = await waiting('answered');
    const asset = shots.find(({ state }) => state === 'completed')!.takes[0]!.asset!;
    const [one, other] = shots.filter(({ state }) => state === 'parked').map(({ id }) => id);
    await expect(rig.client.resolve('answered', one!, { kind: 'resubmit' })).rejects.toThrow(
      'can be answered with skip, use, not with resubmit',
    );
    await rig.client.resolve('answered', one!, { kind: 'skip' });
    await until(async () =>
      (await waiting('answered')).shots.some(({ id, reason }) => id === other && reason?.startsWith('it needs 3')),
    );
    await rig.client.resolve('answered', other!, { kind: 'use', asset });
    const ended = await rig.client.ended('answered');
    expect(states(ended).toSorted()).toEqual(['completed', 'completed', 'skipped']);
    expect(charges('answered')).toBe(3);
    expect(ended.budget).toMatchObject({ spent: 3, reserved: 0 });
  });

  it('counts a further take of a task that failed', async () => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    await begin(pictures('retried', 'a'), 5, { retryFailed: 1 });
    expect(await waiting('retried')).toMatchObject({ shots: [{ parked: { for: 'budget' } }] });
    expect(charges('retried')).toBe(3);
    await rig.client.setBudget('retried', 6);
    expect(await rig.client.ended('retried')).toMatchObject({ state: 'completed' });
    expect(charges('retried')).toBe(6);
  });

  it('counts a take that a person resubmits, and settles one that a person adopts', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 2 });
    await begin(pictures('decided', 'a', 'b'), 7);
    await until(async () => states((await rig.client.status('decided'))!).every((state) => state === 'parked'));
    await rig.client.resolve('decided', 'a', { kind: 'resubmit' });
    expect(
      (
        await until(async () => {
          const { shots = [] } = (await rig.client.status('decided')) ?? {};
          return shots[0]?.parked?.for === 'budget' && shots[0];
        })
      ).reason,
    ).toContain('1 of 7');
    const [task] = (await rig.store.ledger.takes('decided', 'b')).map(({ intent }) =>
      rig.sandbox.tasks().find(({ idempotencyKey }) => idempotencyKey === intent.takeKey),
    );
    await rig.client.resolve('decided', 'b', { kind: 'adopt', taskId: task!.id });
    await until(async () => (await rig.client.status('decided'))?.shots[1]?.state === 'completed');
    expect((await waiting('decided')).budget).toEqual({ credits: 7, spent: 3, reserved: 3, unclear: 3 });
    await rig.client.setBudget('decided', 9);
    expect(await rig.client.ended('decided')).toMatchObject({ state: 'completed' });
    expect(charges('decided')).toBe(9);
  });

  it('counts each of the takes side by side, and continues without those that do not fit', async () => {
    await begin(pictures('sided', 'a'), 7, { takes: 3 });
    expect(await rig.client.ended('sided')).toMatchObject({ state: 'completed', budget: { spent: 6, reserved: 0 } });
    expect(charges('sided')).toBe(6);
  });

  it('leaves out a take of a reviewed shot that does not fit, and makes it once the budget is raised', async () => {
    await begin(pictures('choice', 'a'), 4, { takes: 2, review: { withinSeconds: null, otherwise: 'approve' } });
    const [shot] = (
      await until(async () => {
        const status = await rig.client.status('choice');
        return status?.shots[0]?.state === 'review' && status.shots[0].reason !== null && status;
      })
    ).shots;
    expect(shot).toMatchObject({ review: { takesUnderWay: 0 } });
    // Either may have asked first.
    const other = Number(/^take (\d): waits for the budget$/.exec(shot?.reason ?? '')?.[1]);
    await rig.client.setBudget('choice', 6);
    await until(async () => {
      const { takes = [] } = (await rig.client.status('choice'))?.shots[0] ?? {};
      return takes.filter(({ state }) => state === 'completed').length === 2;
    });
    await rig.client.approve('choice', 'a', other);
    expect(await rig.client.ended('choice')).toMatchObject({ shots: [{ filmTake: other }], budget: { spent: 6 } });
    expect(charges('choice')).toBe(6);
  });

  it('makes a missing take beside the chosen one if it fits, and omits it if it does not', async () => {
    await begin(pictures('beside-later', 'a'), 5);
    await rig.client.ended('beside-later');
    await begin(pictures('beside-later', 'a'), 5, { takes: 2, directed: true });
    expect(await rig.client.ended('beside-later')).toMatchObject({ state: 'completed', budget: { spent: 3 } });
    await begin(pictures('beside-later', 'a'), 6, { takes: 2, directed: true });
    expect(await rig.client.ended('beside-later')).toMatchObject({ state: 'completed', budget: { spent: 6 } });
    expect(charges('beside-later')).toBe(6);
  });

  it('pays for no waiting request that a revision replaces, even if the revision raises the budget', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await begin(pictures('revised', ...names), 2);
    await waiting('revised');
    const production = film(
      'revised',
      names.map((name) => picture(name, 'revised', { parameters: { prompt: `revised: anew ${name}` } })),
    );
    const request = {
      productionId: 'revised',
      production: await rig.store.putJson(production),
      plan: { ...planOf(production, { assemble: false }), budget: { credits: 30 } },
    };
    expect(await rig.client.direct(request, [])).toEqual({ revised: true });
    expect(await rig.client.ended('revised')).toMatchObject({ state: 'completed', budget: { spent: 18, reserved: 0 } });
    expect(prompts('revised').toSorted()).toEqual(names.map((name) => `revised: anew ${name}`));
    // A permit of a draining shot may be used or not, depending on when the cancellation arrives.
    expect(await permitsGiven('revised')).toBe(names.length);
  });

  it('keeps its state when its workflow is reset while shots wait', async () => {
    await begin(pictures('reset', 'a', 'b', 'c'), 4);
    await waiting('reset');
    await resetProduction(rig, 'reset');
    await until(async () => states((await rig.client.status('reset'))!).filter((one) => one === 'parked').length === 2);
    expect((await waiting('reset')).budget).toMatchObject({ spent: 3, reserved: 0 });
    await rig.client.setBudget('reset', 9);
    expect(await rig.client.ended('reset')).toMatchObject({ state: 'completed', budget: { spent: 9, reserved: 0 } });
    expect(charges('reset')).toBe(9);
  });

  it('counts after a reset the unsent reservations of shots that it has not reached again', async () => {
    const version = (variant?: number): FrozenProduction =>
      film('held', [
        picture('a', 'held', { model: { id: 'quill-text-1', output: 'text' }, parameters: { prompt: 'held: a' } }),
        picture('b', 'held', { parameters: { width: 64, height: 36 }, texts: { prompt: { shot: 'a' } } }),
        picture('c', 'held', variant === undefined ? {} : { variant }),
      ]);
    const plan = (production: FrozenProduction): ProductionPlan => ({
      ...planOf(production, { assemble: false }),
      budget: { credits: 9 },
      shots: planOf(production).shots.map((shot) =>
        shot.id === 'a' ? { ...shot, review: { withinSeconds: null, otherwise: 'approve' as const } } : shot,
      ),
    });
    const before = rig.sandbox.tasks().reduce((sum, { credits }) => sum + credits, 0);
    await rig.start(version(), plan(version()));
    const shotIs = (id: string, state: string) => async () =>
      (await rig.client.status('held'))?.shots.some((shot) => shot.id === id && shot.state === state);
    await until(shotIs('a', 'review'));
    await until(shotIs('c', 'completed'));
    const { holds } = rig.store;
    await holds.pause('held', 'a test');
    await rig.client.approve('held', 'a', null);
    await until(async () => (await rig.client.status('held'))?.budget?.reserved === PICTURE);
    const production = await rig.store.putJson(version(1));
    await rig.client.direct({ productionId: 'held', production, plan: plan(version(1)) }, []);
    await until(shotIs('c', 'parked'));
    await resetProduction(rig, 'held');
    await until(shotIs('c', 'parked'));
    expect((await liveStatusOf(rig, 'held')).budget).toMatchObject({ spent: 4, reserved: 3 });
    await holds.resume('held');
    await until(shotIs('b', 'completed'));
    expect((await waiting('held')).budget).toMatchObject({ spent: 7, reserved: 0 });
    expect(rig.sandbox.tasks().reduce((sum, { credits }) => sum + credits, 0) - before).toBe(7);
    await rig.client.setBudget('held', 10);
    expect((await rig.client.ended('held')).budget).toMatchObject({ spent: 10 });
  });

  it('ends with nothing reserved when it is cancelled while shots wait', async () => {
    await begin(pictures('cancelled', 'a', 'b'), 3);
    await waiting('cancelled');
    await rig.client.cancel('cancelled');
    expect(await rig.client.ended('cancelled')).toMatchObject({
      state: 'cancelled',
      budget: { spent: 3, reserved: 0 },
    });
    await expect(rig.client.setBudget('nobody', 9)).rejects.toThrow('no production "nobody"');
  });

  it('frees the reservation of a finally refused take at once, for the take beside it', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-400', on: 'submit', count: 1 });
    await begin(pictures('beside', 'a'), 3, { takes: 2 });
    expect(await rig.client.ended('beside')).toMatchObject({ state: 'completed', budget: { spent: 3, reserved: 0 } });
    expect(charges('beside')).toBe(3);
  });

  it('shows what only a person can answer for a shot, even if the shot also waits for the budget', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const production = pictures('both', 'a', 'b');
    const shots = planOf(production).shots.map((shot) => ({ ...shot, takes: shot.id === 'a' ? 2 : 1 }));
    await begin(production, 3, {}, { shots, maxInFlight: 1 });
    const parked = await until(async () => {
      const { shots: [shot] = [] } = (await rig.client.status('both')) ?? {};
      return shot?.reason?.includes('; ') === true && shot;
    });
    expect(parked).toMatchObject({ state: 'parked', parked: { for: 'unclear' } });
    expect(parked.reason).toMatch(/take \d: waits for the budget/);
    // A shot that continues by itself keeps its place among the shots in flight.
    expect(states(await liveStatusOf(rig, 'both'))).toEqual(['parked', 'pending']);
    await rig.client.setBudget('both', 9);
    expect(await rig.client.ended('both')).toMatchObject({
      state: 'completed',
      budget: { spent: 6, reserved: 3, unclear: 3 },
    });
    expect(charges('both')).toBe(9);
  });

  it('counts a take with truncated records as spent, and blocks only its own shot', async () => {
    await begin(pictures('unread', 'a'), undefined);
    await rig.client.ended('unread');
    const record = await fileNamed(join(rig.store.folder, 'ledger'), /unread.*intent/);
    const whole = await readFile(record);
    await writeFile(record, '{ "torn');
    await begin(pictures('unread', 'a', 'b', 'c'), 6);
    const status = await until(async () => {
      const now = await rig.client.status('unread');
      const [a, ...others] = now?.shots ?? [];
      const states = others.map(({ state }) => state).toSorted();
      return a?.reason != null && isDeepStrictEqual(states, ['completed', 'parked']) && now;
    });
    expect(status.shots[0]?.reason).toMatch(/intent is not JSON/);
    expect(status.budget).toMatchObject({ credits: 6, spent: 6 });
    expect(charges('unread')).toBe(6);
    await writeFile(record, whole);
    await rig.client.setBudget('unread', 9);
    expect(await rig.client.ended('unread')).toMatchObject({ state: 'completed', budget: { spent: 9 } });
    expect(charges('unread')).toBe(9);
  });

  it('resends a throttled task, or one refused for lack of credits, with the same permit', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-429', on: 'submit', count: 1 });
    rig.sandbox.faults.inject({ kind: 'refuse-402', on: 'submit', count: 1 });
    await begin(pictures('throttled', 'a'), 3);
    expect(await waiting('throttled')).toMatchObject({
      shots: [{ parked: { for: 'credits' } }],
      budget: { reserved: 3 },
    });
    await rig.client.resolve('throttled', 'a', { kind: 'resubmit' });
    expect(await rig.client.ended('throttled')).toMatchObject({
      state: 'completed',
      budget: { spent: 3, reserved: 0 },
    });
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'throttled'));
    const asked = (await handle.fetchHistory()).events?.filter(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'reservation',
    );
    expect(asked).toHaveLength(1);
  });

  it("keeps a budget set by command in later renders, until the file's budget changes", async () => {
    await begin(pictures('given', 'a'), 2);
    await waiting('given');
    await rig.client.setBudget('given', 3);
    await rig.client.ended('given');
    expect(await rig.client.setBudget('given', 5)).toBeUndefined();
    await begin(pictures('given', 'a', 'b'), 2);
    expect((await waiting('given')).budget).toMatchObject({ credits: 5, spent: 3 });
    await rig.client.cancel('given');
    await rig.client.ended('given');
    await begin(pictures('given', 'a', 'b'), 6);
    expect(await rig.client.ended('given')).toMatchObject({ state: 'completed', budget: { credits: 6 } });
  });

  it('is neither joined nor revised by a version with another budget or none', async () => {
    await begin(pictures('joined', 'a'), 2);
    await waiting('joined');
    await begin(pictures('joined', 'a'), 2);
    await expect(begin(pictures('joined', 'a'), 3)).rejects.toThrow('running with a budget of 2 credits');
    await rig.client.cancel('joined');
    await rig.client.ended('joined');

    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await begin(pictures('plain', 'a'), undefined);
    await waiting('plain');
    await expect(begin(pictures('plain', 'a'), 3)).rejects.toThrow('without a budget');
    await expect(rig.client.setBudget('plain', 3)).rejects.toThrow('without a budget');
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'plain'));
    await rig.client.resolve('plain', 'a', { kind: 'skip' });
    await rig.client.ended('plain');
    const activities = (await handle.fetchHistory()).events?.flatMap(
      ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name ?? [],
    );
    expect(activities).toEqual(['archiveProduction']);
  });

  it('counts what earlier renders were charged, and a retake like every other take', async () => {
    await begin(pictures('again', 'a', 'b'), 8);
    expect(await rig.client.ended('again')).toMatchObject({ state: 'completed' });
    const retaken = film('again', [picture('a', 'again', { variant: 1 }), picture('b', 'again')]);
    await begin(retaken, 8);
    const { budget, shots } = await waiting('again');
    expect(shots.map(({ state }) => state)).toEqual(['parked', 'completed']);
    expect(budget).toEqual({ credits: 8, spent: 6, reserved: 0, unclear: 0 });
    await rig.client.setBudget('again', 9);
    expect(await rig.client.ended('again')).toMatchObject({ state: 'completed', budget: { spent: 9 } });
    expect(charges('again')).toBe(9);
  });

  it('frees the reservation of a shot that was finally refused', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-400', on: 'submit', count: 1 });
    await begin(pictures('refused', 'a', 'b'), 3);
    const ended = await rig.client.ended('refused');
    expect(states(ended).toSorted()).toEqual(['completed', 'failed']);
    expect(ended.budget).toMatchObject({ spent: 3, reserved: 0 });
  });
});

async function fileNamed(folder: string, pattern: RegExp): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths.find((path) => pattern.test(path))!;
}
