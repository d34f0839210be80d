import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { shellWord } from '../../contracts/terminal-text';
import { Refused } from '../../client';
import { absolute } from '../../client/wording/working-folder';
import { LAST_FRAME_PLACES, type LastFramePlace } from '../../sandbox/http/answers';
import { FAULTS, startSandbox, type FaultName } from '../../sandbox';
import { readKeyFile } from '../../workers/config/key-file';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { print, tell } from '../process/streams';

export interface SandboxFlags {
  readonly port: number;
  readonly host: string;
  readonly folder?: string;
  readonly key?: string;
  readonly keyFile?: string;
  readonly renderSeconds?: number;
  readonly lastFramePlace?: string;
  readonly honourIdempotencyKey?: boolean;
  readonly contrastDrift?: number;
  readonly maxUnfinished?: number;
  readonly failedShare?: number;
  readonly throttledShare?: number;
  readonly errorShare?: number;
  readonly slowAnswerMs?: number;
  readonly slowAnswerShare?: number;
  /** `name=share`, with a name from FAULTS. */
  readonly fault?: readonly string[];
  readonly seed?: number;
}

/** Minimum time between two reads of a task. Short, because the sandbox finishes clips within seconds. */
const POLL_FLOOR_MS = 500;

/** Runs a sandbox gateway in the foreground until a signal. */
export async function sandbox(flags: SandboxFlags): Promise<ExitCode> {
  const { storeFolder, ffmpegPath, sandboxPictures } = readConfig();
  const { interrupted } = listenForInterrupt();
  const { port, host, renderSeconds, honourIdempotencyKey, contrastDrift, maxUnfinished } = flags;
  const { failedShare, throttledShare, errorShare, slowAnswerMs, slowAnswerShare, seed } = flags;
  if (flags.key !== undefined && flags.keyFile !== undefined) {
    throw new Refused('--key and --key-file are both given; give one of them');
  }
  const keyFile = flags.keyFile === undefined ? undefined : absolute(flags.keyFile);
  const givenKey = keyFile === undefined ? flags.key : readKeyFile(keyFile, storeFolder, '--key-file');
  const key = givenKey ?? `sandbox-${randomBytes(12).toString('base64url')}`;
  const lastFramePlace = placeOf(flags.lastFramePlace);
  const running = await startSandbox({
    folder: absolute(flags.folder ?? join(storeFolder, 'sandbox')),
    port,
    host,
    apiKey: key,
    pictures: sandboxPictures,
    ...present({ ffmpegPath, renderSeconds, honourIdempotencyKey, lastFramePlace, contrastDrift, maxUnfinished }),
    faults: {
      ...present({ failedShare, throttledShare, errorShare, slowAnswerMs, slowAnswerShare, seed }),
      shares: sharesOf(flags.fault ?? []),
    },
  }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Refused(`port ${port} is taken; choose another with --port`);
    }
    throw error;
  });
  tell(
    `The sandbox gateway serves at ${running.url}; its list of tasks is at ${running.url}/sandbox/tasks. Ctrl-C ends it.`,
  );
  print(`export DAILIES_GATEWAY_URL=${running.url}`);
  print(
    keyFile === undefined
      ? `export DAILIES_GATEWAY_KEY=${shellWord(key)}`
      : `export DAILIES_GATEWAY_KEY_FILE=${shellWord(keyFile)}`,
  );
  print(`export DAILIES_POLL_FLOOR_MS=${POLL_FLOOR_MS}`);
  await interrupted;
  await running.close();
  return EXIT.completed;
}

function placeOf(name: string | undefined): LastFramePlace | undefined {
  const place = LAST_FRAME_PLACES.find((one) => one === name);
  if (name === undefined || place !== undefined) return place;
  throw new Refused(`--last-frame-place ${name} is not one of ${LAST_FRAME_PLACES.join(', ')}`);
}

function sharesOf(faults: readonly string[]): Partial<Record<FaultName, number>> {
  return Object.fromEntries(
    faults.map((fault) => {
      const [, name = '', share = ''] = /^(.+)=([\d.]+)$/.exec(fault) ?? [];
      if (!Object.hasOwn(FAULTS, name) || !(Number(share) <= 1)) {
        const known = Object.keys(FAULTS).join(', ');
        throw new Refused(`--fault ${fault} is not NAME=SHARE; SHARE is from 0 to 1, and NAME is one of ${known}`);
      }
      return [name, Number(share)];
    }),
  );
}

/** Drops undefined fields, for types whose optional properties may be absent but not undefined. */
function present<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof present<T>
  >;
}
