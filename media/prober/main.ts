import { describe } from './describe';
import { pictureStream } from './picture-stream';
import type { Answer, Question } from './prober';

/**
 * Looks into files for the process that started it, one after the other. Whatever a file does to this process, its
 * parent lives on and starts another.
 */

/** Starting costs more than a look, and files come in groups. */
const IDLE_MS = 10_000;

let idle = setTimeout(stop, IDLE_MS);

process.on('message', (question: Question) => {
  clearTimeout(idle);
  void answer(question).then((found) => {
    process.send?.(found);
    idle = setTimeout(stop, IDLE_MS);
  });
});
process.on('disconnect', () => {
  process.exit();
});
// The parent decides when to stop, and its answers are still wanted while it shuts down.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.('ready');

async function answer({ path, about }: Question): Promise<Answer> {
  return about === 'file' ? await describe(path) : await pictureStream(path).catch(() => null);
}

function stop(): void {
  process.disconnect();
}
