import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

type Work = Record<string, () => Promise<void>>;

/** Starts work for each signalled name, in the order of the alphabet: like a production that starts shots. */
export async function inOrder(): Promise<void> {
  const wanted = new Set<string>();
  const begun = new Set<string>();
  setHandler(defineSignal<[string]>('want'), (name) => void wanted.add(name));
  setHandler(defineQuery('wanted'), () => [...wanted]);
  const work = proxyActivities<Work>({ startToCloseTimeout: '1 hour', taskQueue: 'nobody' });
  while (!wanted.has('end')) {
    await condition(() => wanted.size > begun.size);
    for (const name of [...wanted].toSorted()) {
      if (begun.has(name)) continue;
      begun.add(name);
      void work[name]?.().catch(() => undefined);
    }
  }
}
