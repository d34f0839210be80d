import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, type Store } from 'dailies/store';
import type { PageActivities } from './contract';

/** Workflows carry only the hashes of assets. The activity finds the assets in the store. */
export function createPageActivities({ assets }: Store): PageActivities {
  return {
    async writePage({ id, folder, picture, caption }) {
      const text = await readText(assets, { sha256: caption });
      const image = assets.shownPath({ sha256: picture });
      await mkdir(folder, { recursive: true });
      const page = join(folder, `${id}.html`);
      await writeFile(
        page,
        `<!doctype html><figure><img src="${image}"><figcaption>${escaped(text)}</figcaption></figure>\n`,
      );
      return page;
    },
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
