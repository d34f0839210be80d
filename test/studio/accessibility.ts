import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from 'playwright-core';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

/** Of axe's rules, only that of contrast depends on the colours: a second look at a page in dark need not check more. */
const LOOKS = [
  { colorScheme: 'light', size: PHONE },
  { colorScheme: 'light', size: DESKTOP },
  { colorScheme: 'dark', size: DESKTOP, rules: ['color-contrast'] },
] as const;

/**
 * What axe finds against WCAG 2.2 AA and its best practices: in light on a phone and a desktop, and in dark on a
 * desktop.
 */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const found = new Set<string>();
  const before = page.viewportSize();
  for (const { colorScheme, size, ...look } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    // Without `resultTypes` axe describes each element that is all right, which takes most of the time.
    const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
    if ('rules' in look) axe.withRules([...look.rules]);
    for (const { id, nodes } of (await axe.analyze()).violations) {
      for (const { html, any } of nodes)
        found.add(`${id} (${colorScheme}, ${size.width}): ${html} ${any[0]?.message ?? ''}`);
    }
    // WCAG 2.2, 1.4.10: nothing needs scrolling in two directions.
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(overflow) > 0)
      found.add(`wider than the window (${colorScheme}, ${size.width}): by ${String(overflow)} px`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
  return [...found];
}
