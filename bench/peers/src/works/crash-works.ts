import { type Run, type Task } from '../run';
import { type Figures } from '../saved';
import { texts } from './jobs';
import { type MeasuredWork, POLL_MS, type Rounds } from './measured-work';

/** The gateway accepts submits at once and answers after this time. */
const ANSWERED_AFTER_SECONDS = 3;

/** By this time after the first acceptance, every contender has all its concurrent submits on the wire. */
const ALL_SENT_AFTER_SECONDS = 1;
/** Time from the first acceptance to the latest kill, which comes before the first answers. */
const LAST_KILL_SECONDS = 2.5;

/** Kills the program while submits are on the wire. The time from the first acceptance to the kill varies by round. */
export function crashOnWire({ tasks, ...of }: Rounds & { tasks: number }): MeasuredWork {
  return {
    name: 'crash-on-wire',
    title: `${tasks} tasks, killed while submits are on the wire`,
    rounds: of.rounds,
    isCrash: true,
    task: (round) => ({
      ...crashTask(tasks, round, of.limitSeconds),
      faults: [{ kind: 'accept-late', seconds: ANSWERED_AFTER_SECONDS, share: 1, count: tasks }],
      kill: {
        when: ({ accepted }) => accepted > 0,
        afterSeconds: ALL_SENT_AFTER_SECONDS + (LAST_KILL_SECONDS - ALL_SENT_AFTER_SECONDS) * shareOf(round),
      },
    }),
    figures: (run) => ({ 'on the wire': run.crash?.onWire ?? NaN, ...crashFigures(run, tasks) }),
  };
}

/** Kills the program while tasks are polled. The number of ended tasks at the kill varies by round. */
export function crashPolling({ tasks, ...of }: Rounds & { tasks: number }): MeasuredWork {
  return {
    name: 'crash-polling',
    title: `${tasks} tasks, killed while tasks are polled`,
    rounds: of.rounds,
    isCrash: true,
    task: (round) => ({
      ...crashTask(tasks, round, of.limitSeconds),
      kill: { when: ({ ended }) => ended > tasks * shareOf(round), afterSeconds: 0 },
    }),
    figures: (run) => crashFigures(run, tasks),
  };
}

function crashTask(tasks: number, round: number, limitSeconds: number): Task {
  return { jobs: texts(tasks, round), taskSeconds: { from: 4, to: 8 }, pollMs: POLL_MS, limitSeconds };
}

/**
 * A value between 0 and 1 that differs in each round. Multiples of the golden ratio, modulo 1, are spread evenly for
 * any number of rounds.
 */
function shareOf(round: number): number {
  return (0.5 + round * 0.618_034) % 1;
}

function crashFigures({ tasks, outputs, crash }: Run, wanted: number): Figures {
  const paid = new Set(tasks.map(({ parameters }) => String(parameters['prompt'])));
  return {
    lost: wanted - Object.keys(outputs).length,
    'paid twice': tasks.length - paid.size,
    'asked of a person': crash?.asked ?? NaN,
    'first request after, s': crash?.firstRequestSeconds ?? NaN,
    'done after, s': crash?.doneSeconds ?? NaN,
  };
}
