import { describe } from './describe';
import { pictureStream } from './picture-stream';
import type { Answer, Question } from './prober';

/** Probes files for its parent process, one at a time. If a file kills this process, the parent starts a new one. */

/** How long the process waits for another file. Starting takes longer than a probe, and files come in groups. */
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
// Ignore signals: the parent stops this process, and still needs its answers while shutting down.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.('ready');

async function answer({ path, about }: Question): Promise<Answer> {
  if (about === 'picture') return await pictureStream(path).catch(() => null);
  return await describe(path).catch((error: unknown) => ({ unreadable: String(error), code: codeOf(error) }));
}

function stop(): void {
  process.disconnect();
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
