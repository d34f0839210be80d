import { readWork, type Work } from './work';

/** A line of JSON that a program writes to stdout when it can begin, and again when every output is in place. */
export interface Said {
  readonly says: 'ready' | 'done';
  /** CPU time of the process and its threads so far, in seconds. */
  readonly cpuSeconds: number;
  /** How often a person was asked so far. */
  readonly asked: number;
}

export interface Signs {
  /** Says that the program can begin. */
  readonly ready: () => void;
  /** Counts a question to a person. */
  readonly asked: () => void;
}

/**
 * Runs a contender as a program: `node NAME.js WORK`.
 *
 * `main` calls `ready` when the program can begin, and returns when every output is in place. Then the process stays
 * alive, so that it can be measured, until its stdin ends or it is killed. The process may be killed at any moment and
 * restarted with the same work.
 */
export function runContender(main: (work: Work, signs: Signs) => Promise<void>): void {
  let asked = 0;
  const say = (says: Said['says']): void => {
    const { user, system } = process.cpuUsage();
    const said: Said = { says, cpuSeconds: (user + system) / 1e6, asked };
    process.stdout.write(`${JSON.stringify(said)}\n`);
  };
  const begin = async (): Promise<void> => {
    const [path] = process.argv.slice(2);
    if (path === undefined) throw new Error('the path of the work is missing');
    await main(await readWork(path), {
      ready() {
        say('ready');
      },
      asked() {
        asked += 1;
      },
    });
    say('done');
  };
  // stdin also ends if the parent is killed.
  process.stdin.resume().once('end', () => process.exit(0));
  begin().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  });
}
