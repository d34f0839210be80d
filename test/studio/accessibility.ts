import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from 'playwright-core';

/** Phone and desktop. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
];

/** What axe finds against WCAG 2.2 AA and its best practices, in dark and light, on a phone and a desktop. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const found = new Set<string>();
  const before = page.viewportSize();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const axe = new AxeBuilder({ page }).setLegacyMode();
      // Of axe's rules, only that of contrast depends on the colours.
      if (colorScheme === 'dark') axe.withRules(['color-contrast']);
      for (const { id, nodes } of (await axe.analyze()).violations) {
        for (const { html, any } of nodes)
          found.add(`${id} (${colorScheme}, ${size.width}): ${html} ${any[0]?.message ?? ''}`);
      }
      // WCAG 2.2, 1.4.10: nothing needs scrolling in two directions.
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0)
        found.add(`wider than the window (${colorScheme}, ${size.width}): by ${String(overflow)} px`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
  return [...found];
}
