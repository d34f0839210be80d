import { type Page } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { startStudioRig, type StudioRig } from '../support/studio-rig';
import { until } from '../support/until';
import { violationsOf } from './accessibility';

const STILL = { model: 'pixel-image-1', width: 64, height: 36 };
const MODELS = { 'pixel-image-1': { output: 'image' as const } };

describeInChromium('a person answers in the browser', () => {
  let rig: StudioRig;
  let page: Page;

  beforeAll(async () => {
    rig = await startStudioRig();
    page = await rig.open();
  });

  afterAll(() => rig.close());

  afterEach(() => {
    expect(rig.errors.splice(0)).toEqual([]);
  });

  const at = (path: string) => page.goto(`http://127.0.0.1:${rig.studio.port}${path}`);
  const shots = async (id: string) => (await rig.dailies.status(id)).shots.map(({ state }) => state);

  it('reviews with keys alone: looks at takes, approves two shots, and takes one again with another prompt', async () => {
    const reviewed = { ...STILL, review: true, takes: 2 };
    const ids = ['gull', 'buoy', 'rope'];
    await rig.dailies.renderProduction(
      { id: 'quay', title: 'Quay', models: MODELS, shots: ids.map((id) => ({ id, prompt: id, ...reviewed })) },
      { wait: false },
    );
    await rig.dailies.waitFor('quay');
    expect(rig.accepted()).toBe(6);
    await at('/review');
    expect(await violationsOf(page)).toEqual([]);
    const item = (id: string) => page.locator(`[id="item-quay/${id}"]`);
    await item('gull').waitFor();

    await page.keyboard.press('n');
    await page.keyboard.press('2');
    await page.keyboard.press('a');
    // The page goes to the next shot by itself.
    await item('buoy').waitFor({ state: 'detached' });
    expect((await shots('quay')).filter((state) => state === 'completed')).toHaveLength(1);
    await page.keyboard.press('1');
    await page.keyboard.press('a');
    await item('rope').waitFor({ state: 'detached' });
    expect((await shots('quay')).filter((state) => state === 'completed')).toHaveLength(2);
    expect(rig.accepted()).toBe(6);

    expect(await page.locator('review-inbox .item').count()).toBe(1);
    await page.keyboard.press('r');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('a rope in the rain');
    await page.keyboard.press('Control+Enter');
    await page.locator('.plan').waitFor();
    expect(rig.accepted()).toBe(6);
    await page.getByRole('button', { name: 'Take it again' }).press('Enter');
    await until(() => rig.accepted() > 6);
    await rig.dailies.waitFor('quay');
    const last = rig.rig.sandbox.tasks().at(-1);
    expect(last?.parameters).toMatchObject({ prompt: 'a rope in the rain' });

    // The first take answers an earlier request, so it is chosen instead of approved.
    const before = rig.accepted();
    await at('/review');
    const takes = page.locator('review-inbox figure.take');
    expect(await takes.nth(0).innerText()).not.toContain('Approve take 1');
    expect(await takes.last().innerText()).toContain('a rope in the rain');
    await page.getByRole('button', { name: 'Choose take 1' }).click();
    await page.locator('.done').waitFor();
    expect((await rig.dailies.waitFor('quay')).state).toBe('completed');
    expect(rig.accepted()).toBe(before);
  });

  it('resolves an unclear shot: takes over the task that the gateway has, and pays for nothing', async () => {
    const before = rig.accepted();
    rig.rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await rig.dailies.renderProduction(
      { id: 'unclear', title: 'Unclear', models: MODELS, shots: [{ id: 'sea', prompt: 'the sea', ...STILL }] },
      { wait: false },
    );
    await rig.dailies.waitFor('unclear');
    rig.rig.sandbox.faults.clear();
    expect(rig.accepted()).toBe(before + 1);
    await at('/');
    expect(await page.locator('#film-unclear').innerText()).toMatch(/waits for you: sea/i);
    expect(await violationsOf(page)).toEqual([]);
    await at('/productions/unclear/shots/sea');
    expect(await violationsOf(page)).toEqual([]);
    const task = rig.rig.sandbox.tasks().at(-1)?.id ?? '';
    await page.locator('input[name=taskId]').fill('..');
    await page.getByRole('button', { name: 'The gateway has this task' }).click();
    await page.getByText('cannot be a task id').waitFor();
    await at('/productions/unclear/shots/sea');
    await page.locator('input[name=taskId]').fill(task);
    await page.getByRole('button', { name: 'The gateway has this task' }).click();
    await page.getByText('completed').first().waitFor({ timeout: 60_000 });
    expect((await rig.dailies.waitFor('unclear')).state).toBe('completed');
    expect(rig.accepted()).toBe(before + 1);
  });

  it('begins an example after having seen its price, and sees it to its end', async () => {
    const before = rig.accepted();
    await at('/new');
    expect(await violationsOf(page)).toEqual([]);
    await page
      .getByRole('button', { name: /^See what .* costs$/ })
      .first()
      .click();
    await page.locator('.plan').waitFor();
    expect(rig.accepted()).toBe(before);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /[Rr]ender it$/ }).click();
    await page.waitForURL(/\/productions\//);
    const id = page.url().split('/productions/')[1]?.split(/[/?]/)[0] ?? '';
    await until(() => rig.accepted() > before);
    await rig.dailies.waitFor(id);
    await page.reload();
    expect(await violationsOf(page)).toEqual([]);
    const { credits } = await rig.dailies.status(id);
    const paid = rig.rig.sandbox.tasks().slice(before);
    expect(credits.charged).toBe(paid.reduce((sum, task) => sum + task.credits, 0));
  });
});
