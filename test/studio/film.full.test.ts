import { type Page } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { startStudioRig, type StudioRig } from '../support/studio-rig';
import { until } from '../support/until';
import { violationsOf } from './accessibility';

const MODELS = { 'pixel-image-1': { output: 'image' as const } };

describeInChromium('a person directs a film in the browser', () => {
  let rig: StudioRig;
  let page: Page;

  beforeAll(async () => {
    rig = await startStudioRig({ renderSeconds: 1 });
    page = await rig.open();
  });

  afterAll(() => rig.close());

  afterEach(() => {
    expect(rig.errors.splice(0)).toEqual([]);
  });

  const say = (name: string) => page.getByRole('button', { name }).first().click();
  const done = () => page.locator('.done').innerText();
  const at = (path: string) => page.goto(`http://127.0.0.1:${rig.studio.port}${path}`);

  it('sees a film being made to its end without loading the page again', async () => {
    await rig.dailies.renderProduction(
      {
        id: 'pier',
        title: 'The pier',
        shots: ['dawn', 'noon'].map((id, index) => ({
          id,
          model: 'beta-video',
          prompt: `the pier at ${id}`,
          duration: 4,
          resolution: '480p',
          ...(index === 0 ? {} : { startFrame: { lastFrameOf: 'dawn' } }),
        })),
      },
      { wait: false },
    );
    await at('/productions/pier');
    await page.evaluate('globalThis.stays = true');
    await page.getByText('2 of 2 shots').waitFor({ timeout: 60_000 });
    await page.locator('video.whole').waitFor();
    expect(await page.evaluate('globalThis.stays')).toBe(true);
    await page.evaluate(PLAY);
    expect(rig.accepted()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('takes a shot again after having seen its price, with another prompt', async () => {
    await at('/productions/pier/shots/noon');
    await page.locator('textarea[name=prompt]').fill('the pier at noon, in rain');
    await say('See what it costs');
    expect(await page.locator('.plan').innerText()).toMatch(/noon/);
    expect(rig.accepted()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    await say('Take it again');
    expect(await done()).toContain('Another take of "noon"');
    await page.locator('#take-2').waitFor({ timeout: 60_000 });
    await page.locator('#take-2 video').waitFor({ timeout: 60_000 });
    await rig.dailies.waitFor('pier');
    expect(rig.accepted()).toBe(3);
  });

  it('compares two takes and chooses the first again, which costs nothing', async () => {
    await at('/productions/pier/shots/noon');
    expect(await page.locator('.takes figure').count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('#take-1').getByRole('button', { name: 'Choose take 1' }).click();
    expect(await done()).toContain('Take 1 is used for "noon"');
    await page.locator('#take-1.chosen').waitFor({ timeout: 60_000 });
    await rig.dailies.waitFor('pier');
    expect(rig.accepted()).toBe(3);
  });

  it('does not pay for a retake whose plan has changed since it was shown', async () => {
    const before = rig.accepted();
    await at('/productions/pier/shots/noon');
    await page.locator('textarea[name=prompt]').fill('the pier at noon, in fog');
    await say('See what it costs');
    await rig.dailies.retake('pier', 'noon', { prompt: 'the pier at noon, in snow' });
    await rig.dailies.waitFor('pier');
    await say('Take it again');
    await page.getByRole('heading', { name: 'Not possible now' }).waitFor();
    expect(rig.accepted()).toBe(before + 1);
  });

  it('pauses, resumes, gives a budget, and cancels with a settlement', async () => {
    // So many, one after the other, that it cannot end before it is cancelled.
    const still = { model: 'pixel-image-1', prompt: 'a still', width: 64, height: 36 };
    const shots = Array.from({ length: 60 }, (_, number) => ({ id: `still-${number}`, ...still }));
    await rig.dailies.renderProduction(
      { id: 'stills', title: 'Stills', models: MODELS, maxInFlight: 1, budget: { credits: 500 }, shots },
      { wait: false },
    );
    await at('/productions/stills');
    await say('Pause');
    expect(await done()).toContain('Paused');
    const before = await restingAt(rig);
    await at('/productions/stills');
    expect(rig.accepted()).toBe(before);
    await say('Resume');
    expect(await done()).toBe('Resumed.');
    await page.locator('input[name=credits]').fill('1000');
    await say('Set budget');
    expect(await done()).toContain('1000 credits');
    await page.getByText('Cancel the render').click();
    await say('Yes, cancel it');
    expect(await done()).toContain('Cancelled');
    const { state, credits } = await rig.dailies.waitFor('stills');
    expect(state).toBe('cancelled');
    const accepted = rig.rig.sandbox.tasks().filter(({ model }) => model === 'pixel-image-1');
    expect(credits.charged).toBe(accepted.reduce((sum, { credits: charge }) => sum + charge, 0));
    await page.locator('.state-cancelled').first().waitFor();
    expect(await page.locator('section.money').innerText()).toContain(`${credits.charged} credit`);
    expect(accepted.length).toBeLessThan(shots.length);
  });

  it('sees a limit that another person changes in a field that has the focus, and keeps what is typed', async () => {
    await rig.dailies.limits({ inFlight: 40, perMinute: 400 });
    await at('/queue');
    const [inFlight, perMinute] = ['inFlight', 'perMinute'].map((name) => page.locator(`input[name=${name}]`).first());
    await perMinute?.fill('300');
    await inFlight?.focus();
    await rig.dailies.limits({ inFlight: 20 });
    await until(async () => (await inFlight?.inputValue()) === '20');
    await say('Set limits');
    expect(await done()).toContain('are set');
    expect((await rig.dailies.limits()).account).toEqual({ inFlight: 20, perMinute: 300 });
    await rig.dailies.limits({ inFlight: null, perMinute: null });
  });
});

/** Plays a clip for a moment; fails if the browser cannot. */
const PLAY = `new Promise((resolve, reject) => {
  const video = document.querySelector('video.whole');
  video.muted = true;
  video.onerror = () => reject(new Error(video.error.message));
  video.ontimeupdate = () => { if (video.currentTime > 0.2) { video.pause(); resolve(undefined); } };
  video.play().catch(reject);
})`;

/** The number of accepted tasks once no task is under way. */
async function restingAt(studio: StudioRig): Promise<number> {
  await until(() => studio.rig.sandbox.counts().unfinished === 0);
  return studio.accepted();
}
