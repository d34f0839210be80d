import { readFile } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { type ShotStatus } from '../../contracts/status';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess } from '../support/worker-process';
import { DAWN, expectNoTask, inWords, kinds, mark, PICTURE, render, retake, shotOf, start } from './films-with-stills';

describe('stills and written prompts', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  it('makes a new picture for a rejected one, and starts the video only on the new one', async () => {
    const since = mark(rig);
    await start(rig, 'rejected', `shots: [${DAWN.replace('A lighthouse', 'A lighthouse, review: true')}]`);
    const first = await inReview(rig, 'rejected', PICTURE);
    await retake(rig, 'rejected', PICTURE, { prompt: 'A lighthouse in fog' });
    const second = await until(async () => {
      const shot = await shotOf(rig, 'rejected', PICTURE);
      return shot?.state === 'review' && shot.filmTake === 2 ? shot : undefined;
    });
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1']);
    await rig.client.approve('rejected', PICTURE, null);
    expect(await rig.client.ended('rejected')).toMatchObject({ state: 'completed' });
    const asset = second.takes.find(({ take }) => take === 2)!.asset!;
    expect(asset.sha256).not.toBe(first.takes[0]?.asset?.sha256);
    expect(rig.sandbox.tasks().at(-1)?.parameters['startFrame']).toBe(inWords(asset));
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1', 'beta-2.5']);
  });

  it('makes a still for two shots once, and leaves it out of the film', async () => {
    const since = mark(rig);
    const text = `shots: [${DAWN}, { id: day, prompt: Noon., startFrame: { stillOf: dawn } }]`;
    const status = await render(rig, 'shared', text);
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(kinds(rig, since).toSorted()).toEqual(['beta-2.5', 'beta-2.5', 'pixel-image-1']);
    const picture = status.shots[0]!.takes[0]!;
    expect(picture).toMatchObject({ firstFrame: null, lastFrame: null, asset: { mediaType: 'image/png' } });
    const videos = rig.sandbox.tasks().slice(since + 1);
    expect(videos.map(({ parameters }) => parameters['startFrame'])).toEqual(Array(2).fill(inWords(picture.asset!)));
    expect(status.film?.durationSeconds).toBeCloseTo(8, 0);
    await expectNoTask(rig, () => render(rig, 'shared', text));
  });

  it('does not send a text that is too long for the parameter, and says so', async () => {
    const since = mark(rig);
    const text = `shots: [{ id: dawn, model: zoom-9, prompt: { from: { model: quill-text-1, prompt: the sun rises } } }]`;
    const schema = JSON.stringify({ type: 'object', properties: { prompt: { type: 'string', maxLength: 40 } } });
    const status = await render(rig, 'long', text, { 'zoom.json': schema }, '  zoom-9: { schema: zoom.json }\n');
    expect(status.shots[1]).toMatchObject({ state: 'failed', takes: [] });
    expect(status.shots[1]?.reason).toMatch(
      /^dawn\.prompt has written \d+ characters for prompt, which takes at most 40$/,
    );
    expect(kinds(rig, since)).toEqual(['quill-text-1']);
    expect(await rig.store.ledger.takes('long', 'dawn')).toEqual([]);
  });

  it('parks a still that is unclear, and pays for the video once it is decided', async () => {
    const since = mark(rig);
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await start(rig, 'unclear', `shots: [${DAWN}]`);
    await until(async () => (await shotOf(rig, 'unclear', PICTURE))?.state === 'parked');
    const taskId = rig.sandbox.tasks().at(-1)?.id ?? '';
    expect(kinds(rig, since)).toEqual(['pixel-image-1']);
    await rig.client.resolve('unclear', PICTURE, { kind: 'adopt', taskId });
    expect(await rig.client.ended('unclear')).toMatchObject({ state: 'completed' });
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'beta-2.5']);
  });

  it('pays for no video whose still has failed', async () => {
    const since = mark(rig);
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const status = await render(
      rig,
      'failed',
      // One at a time, so that the fault strikes the picture.
      `maxInFlight: 1\nshots: [${DAWN.replace('A lighthouse', 'A lighthouse, onFailure: fail')}, { id: night, prompt: Night. }]`,
    );
    expect(status.shots.map(({ id, state }) => [id, state])).toEqual([
      [PICTURE, 'failed'],
      ['dawn', 'blocked'],
      ['night', 'completed'],
    ]);
    expect(kinds(rig, since).toSorted()).toEqual(['beta-2.5', 'pixel-image-1']);
  });
});

describe('a worker that is killed between the picture and the video', () => {
  it('is followed by a worker that pays only for the video', async () => {
    const rig = await startRig({}, { inProcess: false });
    try {
      const first = await startWorkerProcess(rig);
      await start(rig, 'killed', `shots: [${DAWN.replace('A lighthouse', 'A lighthouse, review: true')}]`);
      const { takes } = await inReview(rig, 'killed', PICTURE);
      await first.kill('SIGKILL');
      const second = await startWorkerProcess(rig);
      await rig.client.approve('killed', PICTURE, null);
      expect(await rig.client.ended('killed')).toMatchObject({ state: 'completed' });
      expect(kinds(rig, 0)).toEqual(['pixel-image-1', 'beta-2.5']);
      expect(rig.sandbox.tasks().at(-1)?.parameters['startFrame']).toBe(inWords(takes[0]!.asset!));
      await second.kill('SIGTERM');
    } finally {
      await rig.close();
    }
  });
});

describe('a still of a quick model', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  const modes = (since: number): readonly string[] =>
    rig.sandbox
      .tasks()
      .slice(since)
      .map(({ model, mode }) => `${mode} ${model}`);

  it('is executed if its file says so, and submitted if the file says not to', async () => {
    const since = mark(rig);
    const status = await render(rig, 'quick', `shots: [${DAWN}]`, {}, '', { quick: true });
    expect(status.state).toBe('completed');
    expect(modes(since)).toEqual(['execute pixel-image-1', 'submit beta-2.5']);
  });

  it('is executed once its tasks are known to be quick, and no video ever is', async () => {
    const times = rig.store.account('sandbox').usualTimes;
    const since = mark(rig);
    for (const tookMs of [800, 900, 6_000, 6_000]) await times.note('pixel-image-1', tookMs);
    await render(rig, 'slow', `shots: [${DAWN}]`, {}, '', { quick: null });
    for (let n = 0; n < 40; n += 1) await times.note('pixel-image-1', 900);
    for (let n = 0; n < 3; n += 1) await times.note('beta-2.5', 900);
    await render(rig, 'learned', `shots: [${DAWN}]`, {}, '', { quick: null });
    expect(modes(since)).toEqual([
      'submit pixel-image-1',
      'submit beta-2.5',
      'execute pixel-image-1',
      'submit beta-2.5',
    ]);
  });

  it('is unclear if it takes too long, and is never followed by a submit of the same take', async () => {
    const slow = await startRig({ executeLimitMs: 300, renderSeconds: 2 });
    try {
      await start(slow, 'slow', `shots: [${DAWN}]`, {}, '', { quick: true });
      const parked = await until(async () => {
        const shot = await shotOf(slow, 'slow', PICTURE);
        return shot?.state === 'parked' ? shot : undefined;
      });
      expect(parked.parked?.for).toBe('unclear');
      await slow.client.cancel('slow');
      await slow.client.ended('slow');

      // The file now says to submit: another take would be submitted, but not this one.
      await start(slow, 'slow', `shots: [${DAWN}]`, {}, '', { quick: false });
      await until(async () => (await shotOf(slow, 'slow', PICTURE))?.state === 'parked');
      await slow.client.resolve('slow', PICTURE, { kind: 'resubmit' });
      await until(() => slow.sandbox.tasks().length === 2);
      await until(async () => (await shotOf(slow, 'slow', PICTURE))?.state === 'parked');
      expect(slow.sandbox.tasks().map(({ mode }) => mode)).toEqual(['execute', 'execute']);
      const takes = await slow.store.ledger.takes('slow', PICTURE);
      expect(takes.map(({ sendings }) => sendings.map(({ sent }) => sent?.mode))).toEqual([['execute', 'execute']]);
      await slow.client.cancel('slow');
      await slow.client.ended('slow');

      // Two executes without an answer outweigh as many quick ones.
      const times = slow.store.account('sandbox').usualTimes;
      for (let n = 0; n < 2; n += 1) await times.note('pixel-image-1', 900);
      expect((await times.forModel('pixel-image-1'))?.slowMs).toBeGreaterThanOrEqual(20_000);
    } finally {
      await slow.close();
    }
  });

  it('sends the written text, keeps it in later renders, and makes another video for another text', async () => {
    const text = `shots: [{ id: dawn, prompt: { from: { model: quill-text-1, prompt: the sun rises } } }]`;
    const status = await render(rig, 'written', text);
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    const words = await textOf(rig, status.shots[0]!.takes[0]!.asset!);
    expect(words).toContain('the sun rises');
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toBe(words.trim());
    expect((await rig.store.ledger.takes('written', 'dawn'))[0]?.intent.parameters['prompt']).toBe(words.trim());
    await expectNoTask(rig, () => render(rig, 'written', text));

    const since = mark(rig);
    const { follows } = await retake(rig, 'written', 'dawn.prompt', { prompt: 'the moon sets' });
    expect(follows.shots.map(({ shot, action, through }) => [shot, action, through])).toEqual([
      ['dawn.prompt', 'changed', []],
      ['dawn', 'stale', ['dawn.prompt']],
    ]);
    await rig.client.ended('written');
    expect(kinds(rig, since)).toEqual(['quill-text-1', 'beta-2.5']);
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toContain('the moon sets');
  });
});

function inReview(rig: Rig, id: string, shot: string): Promise<ShotStatus> {
  return until(async () => {
    const found = await shotOf(rig, id, shot);
    return found?.state === 'review' ? found : undefined;
  });
}

function textOf({ store }: Rig, asset: AssetRef): Promise<string> {
  return readFile(store.assets.shownPath(asset), 'utf8');
}
