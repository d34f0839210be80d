import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type GatewayAnswer,
  type GatewayCounts,
  type GatewayQuestion,
  type GatewayStart,
  type GatewayTask,
} from './gateway-program';

/** The gateway that a contender of the benchmark uses, in a separate process. */
export interface Gateway {
  readonly url: string;
  readonly apiKey: string;
  /** Every accepted task, in the order of acceptance. */
  tasks(): Promise<readonly GatewayTask[]>;
  counts(): Promise<GatewayCounts>;
  stop(): Promise<void>;
}

const API_KEY = 'bench';

/** Time limit for an answer, which normally takes milliseconds. */
const ANSWER_MS = 30_000;

export async function startGateway(start: Omit<GatewayStart, 'apiKey'>): Promise<Gateway> {
  const child = fork(join(__dirname, 'gateway-program.js'));
  const ended = once(child, 'exit');

  let lastAnswered: Promise<unknown> = Promise.resolve();
  /** Asks one question at a time, because answers do not name their questions. */
  function ask(question: GatewayQuestion): Promise<GatewayAnswer> {
    const answered = lastAnswered.then(() => answerOf(child, question));
    lastAnswered = answered.catch(() => undefined);
    return answered;
  }

  const begun = await ask({ start: { ...start, apiKey: API_KEY } });
  if (!('url' in begun)) throw new Error('the gateway did not return its URL');
  return {
    url: begun.url,
    apiKey: API_KEY,
    async tasks() {
      const answer = await ask('tasks');
      if (!('tasks' in answer)) throw new Error('the gateway did not return its tasks');
      return answer.tasks;
    },
    async counts() {
      const answer = await ask('counts');
      if (!('accepted' in answer)) throw new Error('the gateway did not return its counts');
      return answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Sends a question and returns the next message as its answer. A gateway that hangs is killed.
 *
 * @throws Error if the gateway has ended, ends before it answers, or hangs.
 */
function answerOf(gateway: ChildProcess, question: GatewayQuestion): Promise<GatewayAnswer> {
  return new Promise<GatewayAnswer>((resolve, reject) => {
    const fail = (words: string, cause?: Error) => {
      stopWaiting();
      reject(new Error(words, { cause }));
    };
    const take = (answer: unknown) => {
      stopWaiting();
      resolve(answer as GatewayAnswer);
    };
    const end = () => {
      fail('the gateway has ended');
    };
    const hang = () => {
      gateway.kill('SIGKILL');
      fail(`the gateway has not answered within ${ANSWER_MS / 1000} s`);
    };
    const limit = setTimeout(hang, ANSWER_MS);
    const stopWaiting = () => {
      clearTimeout(limit);
      gateway.off('message', take).off('exit', end);
    };
    gateway.once('message', take).once('exit', end);
    gateway.send(question, (error) => {
      if (error !== null) fail('the gateway has ended', error);
    });
  });
}
