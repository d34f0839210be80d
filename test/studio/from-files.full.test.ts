import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { recordPictures } from '../support/batch-records';
import { describeInChromium } from '../support/chromium';
import { PICTURE_FILE } from '../support/scheduled';
import { startStudioRig, type StudioRig } from '../support/studio-rig';
import { until } from '../support/until';

/** A film of two pictures. @param key of the model in its line 6 */
const beach = (prompt: string, key = 'model'): string => `title: The beach
models:
  pixel-image-1: { output: image }
shots:
  - { id: sea, model: pixel-image-1, width: 64, height: 36, prompt: the sea }
  - { id: sand, ${key}: pixel-image-1, width: 64, height: 36, prompt: ${prompt} }
`;

describeInChromium('a person works on what files began', () => {
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
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click();
  const done = () => page.locator('.done').innerText();
  /** What the plan on the page costs. */
  const priceShown = async () => Number(/: (\d+) credits?/.exec(await page.locator('.sum').innerText())?.[1]);
  const tasksSince = (before: number) => rig.rig.sandbox.tasks().slice(before);
  const chargedFor = (tasks: ReturnType<typeof tasksSince>) => tasks.reduce((sum, { credits }) => sum + credits, 0);

  it('edits a film: is led to a mistake, keeps what was typed, and pays after the plan for what has changed', async () => {
    const file = join(rig.folder, 'beach.yaml');
    writeFileSync(file, beach('the sand'));
    await rig.dailies.renderProduction(file, { id: 'beach' });
    const before = rig.accepted();
    await at('/productions/beach');
    await follow('Edit the production file');
    const text = page.getByLabel('Text of the file');
    expect(await text.inputValue()).toBe(beach('the sand'));

    await text.fill(beach('the wet sand', 'modell'));
    await press('Check, and see what it costs');
    const [finding, numbered] = [page.locator('.findings a').first(), page.locator('.line-numbers b')];
    expect(await finding.innerText()).toMatch(/^Line 6, column/);
    expect(await numbered.allInnerTexts()).toEqual(['6']);
    // The finding moves the caret once the page's script has run.
    await page.waitForLoadState();
    await finding.click();
    expect(await page.evaluate(LINE_OF_CARET)).toBe(6);
    expect(await text.inputValue()).toBe(beach('the wet sand', 'modell'));

    await text.fill(beach('the wet sand'));
    await press('Check, and see what it costs');
    expect(await page.locator('.plan tbody th').allInnerTexts()).toEqual(['sand']);
    const price = await page.locator('.plan .sum').innerText();
    expect(readFileSync(file, 'utf8')).toBe(beach('the sand'));
    expect(rig.accepted()).toBe(before);
    await press('Save and render');
    expect(await done()).toContain('Saved');
    await until(() => rig.accepted() > before);
    await rig.dailies.waitFor('beach');
    expect(readFileSync(file, 'utf8')).toBe(beach('the wet sand'));
    expect(tasksSince(before)).toEqual([expect.objectContaining({ model: 'pixel-image-1' })]);
    expect(tasksSince(before)[0]?.parameters).toMatchObject({ prompt: 'the wet sand' });
    expect(price).toContain(`${chargedFor(tasksSince(before))} credit`);
  });

  it('retries the failed rows of a batch of 5,000, and no others, after having seen their price', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `cup-${String(index + 1).padStart(4, '0')}`);
    const failed = [17, 18, 1_234, 2_500, 2_501, 4_999].map((number) => keys[number - 1] ?? '');
    await recordPictures(rig.rig.store, { id: 'cups', title: 'Cups', keys, failed });
    const before = rig.accepted();
    // The browser shows a page while it is still reading its rows.
    const rows = async () => {
      await page.waitForLoadState('domcontentloaded');
      return page.locator('tr[id^="row-"] th').allInnerTexts();
    };
    await at('/batches/cups');
    await page.getByText('4994 of 5000 rows').waitFor();
    expect(await rows()).toEqual(keys.slice(0, 100));
    await follow('Next');
    await page.getByText('Page 2 of 50').waitFor();
    expect(await rows()).toEqual(keys.slice(100, 200));
    await follow('Last');
    await page.getByText('Page 50 of 50').waitFor();
    expect(await rows()).toEqual(keys.slice(4_900));
    await follow('failed 6');
    await page.getByText('1 to 6 of 6 rows').waitFor();
    expect(await rows()).toEqual(failed);

    await press('Retry the 6 rows that failed: see what it costs');
    await page.getByRole('heading', { name: 'Render 6 of 5000 rows again' }).waitFor();
    const price = await priceShown();
    expect(rig.accepted()).toBe(before);
    await press('Render them again');
    expect(await done()).toBe('6 rows are rendered again.');
    await page.getByText('5000 of 5000 rows').waitFor();
    const sent = tasksSince(before);
    expect(sent.map(({ parameters: { prompt } }) => prompt).toSorted()).toEqual(
      failed.map((key) => `the harbour, ${key}`),
    );
    expect(chargedFor(sent)).toBe(price);
    expect((await rig.dailies.batchStatus('cups')).state).toBe('completed');
    expect(rig.accepted()).toBe(before + 6);
  });

  it('makes a schedule, sees a run to its end, pauses it, and renders past times after having seen their price', async () => {
    const file = join(rig.folder, 'nightly.yaml');
    writeFileSync(file, PICTURE_FILE);
    const before = rig.accepted();
    await at('/schedules');
    // On one day of the year, so that none starts by itself.
    const fields = { name: 'nightly', file, cron: '0 2 9 1 *', timezone: 'UTC', out: join(rig.folder, 'out') };
    for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(value);
    await press('Create it');
    expect(await done()).toBe('"nightly" is created.');
    const next = page.locator('section[aria-labelledby=next-title]');
    expect(await next.locator('li time').first().getAttribute('datetime')).toMatch(/-01-09T02:00:00/);
    expect(rig.accepted()).toBe(before);

    await press('Render it now');
    await page.getByRole('heading', { name: 'A run of nightly' }).waitFor();
    const priceOfRun = await priceShown();
    expect(rig.accepted()).toBe(before);
    await press('Render it');
    expect(await done()).toContain('has begun');
    const runs = page.locator('tr[id^="run-nightly-"]');
    await runs.locator('.state-completed').waitFor();
    expect(rig.accepted()).toBe(before + 1);
    expect(chargedFor(tasksSince(before))).toBe(priceOfRun);
    await runs.getByRole('link').click();
    await page.getByText('1 of 1 shots').waitFor();

    await at('/schedules/nightly');
    await press('Pause');
    await page.getByText('None while it is paused.').waitFor();
    await press('Resume');
    await next.locator('li').first().waitFor();

    await page.locator('input[name=from]').fill('2020-01-01T00:00:00Z');
    await page.locator('input[name=to]').fill('2022-12-31T00:00:00Z');
    await press('See what it costs');
    await page.getByRole('heading', { name: '3 runs of nightly' }).waitFor();
    const price = await priceShown();
    expect(rig.accepted()).toBe(before + 1);
    await press('Render them');
    expect(await done()).toContain('3 runs begin');
    await until(async () => (await runs.locator('.state-completed').count()) === 4);
    expect(rig.accepted()).toBe(before + 4);
    expect(chargedFor(tasksSince(before + 1))).toBe(price);
  });
});

/** Number of the line in which the caret of the active field is. */
const LINE_OF_CARET =
  'document.activeElement.value.slice(0, document.activeElement.selectionStart).split("\\n").length';
