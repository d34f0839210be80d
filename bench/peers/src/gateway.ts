import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type GatewayAnswer,
  type GatewayCounts,
  type GatewayQuestion,
  type GatewayStart,
  type GatewayTask,
} from './gateway-program';

/** The gateway that a contender works with, in a process of its own. */
export interface Gateway {
  readonly url: string;
  readonly apiKey: string;
  /** Every accepted submit, in order. */
  tasks(): Promise<readonly GatewayTask[]>;
  counts(): Promise<GatewayCounts>;
  stop(): Promise<void>;
}

const API_KEY = 'bench';

export async function startGateway(start: Omit<GatewayStart, 'apiKey'>): Promise<Gateway> {
  const child = fork(join(__dirname, 'gateway-program.js'));
  const ended = once(child, 'exit');

  async function ask(question: GatewayQuestion): Promise<GatewayAnswer> {
    child.send(question);
    const answered = once(child, 'message').then(([answer]) => answer as GatewayAnswer);
    const answer = await Promise.race([answered, ended.then(() => undefined)]);
    if (answer === undefined) throw new Error('the gateway has ended');
    return answer;
  }

  const begun = await ask({ start: { ...start, apiKey: API_KEY } });
  if (!('url' in begun)) throw new Error('the gateway did not say where it is');
  return {
    url: begun.url,
    apiKey: API_KEY,
    async tasks() {
      const answer = await ask('tasks');
      if (!('tasks' in answer)) throw new Error('the gateway did not tell its tasks');
      return answer.tasks;
    },
    async counts() {
      const answer = await ask('counts');
      if (!('accepted' in answer)) throw new Error('the gateway did not tell its counts');
      return answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
