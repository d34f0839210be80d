import { Refused } from '../../client';
import { type Decision } from '../../contracts/decision';
import { NotMediaError, probe } from '../../media';
import { openStore, type Store } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { openSession } from '../session';
import { tell } from '../streams';

export interface ResolveOptions {
  readonly adopt?: string;
  readonly resubmit?: boolean;
  readonly skip?: boolean;
  readonly use?: string;
  readonly wait?: boolean;
}

/** Says how a parked shot goes on. It is checked before it is taken; a refusal changes nothing. */
export async function resolve(productionId: string, shotId: string, options: ResolveOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const decision = await decisionOf(options, store);
  const session = await openSession(config, store);
  try {
    await session.client.resolve(productionId, shotId, decision);
  } finally {
    await session.close();
  }
  tell(`"${shotId}" goes on (${decision.kind}). Render "${productionId}" again to see it to its end.`);
  return EXIT.completed;
}

async function decisionOf(options: ResolveOptions, store: Store): Promise<Decision> {
  const given = Object.entries(options).filter(([name, value]) => NAMES.includes(name) && value !== undefined);
  if (given.length !== 1) throw new Refused('say one of --adopt TASK_ID, --resubmit, --skip, --use FILE, --wait');
  if (options.adopt !== undefined) return { kind: 'adopt', taskId: options.adopt };
  if (options.use !== undefined) return { kind: 'use', asset: await putClip(options.use, store) };
  if (options.resubmit === true) return { kind: 'resubmit' };
  return options.skip === true ? { kind: 'skip' } : { kind: 'wait' };
}

const NAMES = ['adopt', 'resubmit', 'skip', 'use', 'wait'];

async function putClip(path: string, store: Store): ReturnType<Store['assets']['putFile']> {
  const info = await probe(path).catch((error: unknown) => {
    const reason = error instanceof NotMediaError || error instanceof Error ? error.message : String(error);
    throw new Refused(`${path} cannot be used: ${reason}`);
  });
  if (info.kind !== 'video') throw new Refused(`${path} is ${info.mediaType}; a shot takes a video`);
  const { mediaType, durationSeconds, width, height } = info;
  return store.assets.putFile(path, () => Promise.resolve({ mediaType, durationSeconds, width, height }));
}
