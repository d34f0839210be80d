import { type Finding, found } from '../finding';
import { onOwnStage } from '../own-folder';
import { scriptBytes } from './script-bytes';
import { startStudioProcess } from './studio-process';

/** Measures the total size of the studio's scripts as sent (compressed), in kilobytes. */
export function measureScripts(): Promise<readonly Finding[]> {
  return onOwnStage({}, async (stage) => {
    const studio = await startStudioProcess(stage);
    try {
      const sent = await scriptBytes(async (path) => (await studio.ask(path)).body);
      const bytes = [...sent.values()].reduce((sum, one) => sum + one, 0);
      return [found(`all ${sent.size} scripts, compressed`, 'KB', [bytes / 1_000], 1)];
    } finally {
      await studio.close();
    }
  });
}
