import { readWork, type Work } from './work';

/** What a program says on stdout, a line of JSON each: when it can begin, and when every output is in its place. */
export interface Said {
  readonly says: 'ready' | 'done';
  /** CPU time of the process with all its threads so far, in seconds. */
  readonly cpuSeconds: number;
  /** How often it has needed a person so far, who was asked and answered. */
  readonly asked: number;
}

export interface Signs {
  /** It can begin. */
  readonly ready: () => void;
  /** A person was asked. */
  readonly asked: () => void;
}

/**
 * Runs a contender as a program: `node NAME.js WORK`. It says when it can begin, and when every output is in its place, which
 * is when `main` returns: what its engine holds need not be closed. Then it stays, so that it can be looked at, until its
 * stdin ends or it is killed. It may be killed at any moment and started again with the same work.
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
  // Also where its parent has been killed.
  process.stdin.resume().once('end', () => process.exit(0));
  begin().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  });
}
