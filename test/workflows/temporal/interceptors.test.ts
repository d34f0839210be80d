import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayAfterEarlyEvents } from '../../../workflows/interceptors';

type Guard = ReturnType<typeof replayAfterEarlyEvents>;

const REASON = 'A query brought events before their workflow task started';

let handed: number;
let guard: Guard;
beforeEach(() => {
  handed = 0;
  guard = replayAfterEarlyEvents();
});

/** An activation of the workflow task that started at a time, in seconds, with the history of a length. */
function activate(seconds: number, historyLength: number, job: object = { signalWorkflow: {} }): void {
  const activation = { timestamp: { seconds, nanos: 5 }, historyLength, jobs: [job] } as unknown;
  guard.activate({ activation, batchIndex: 0 } as Parameters<Guard['activate']>[0], () => {
    handed += 1;
  });
}

const QUERY = { queryWorkflow: {} };

it('hands over every activation of a workflow task, in batches too, and every query', () => {
  activate(1, 3);
  activate(1, 3, QUERY);
  activate(2, 9);
  activate(2, 9);
  activate(2, 9, QUERY);
  activate(3, 12);
  expect(handed).toBe(6);
});

it('hands over events without their workflow task and the query after them, and fails the task that follows', () => {
  activate(1, 3);
  activate(1, 6);
  activate(1, 6, QUERY);
  activate(1, 6, QUERY);
  expect(handed).toBe(4);
  expect(() => {
    activate(2, 10);
  }).toThrow(REASON);
  expect(handed).toBe(4);
});

it('hands over the first activation of a history of any length', () => {
  activate(1, 60);
  activate(2, 80);
  expect(handed).toBe(2);
});

it('is part of the workflows that workers run', () => {
  const bundle = readFileSync(join(__dirname, '..', '..', '..', 'dist', 'workflow-bundle.js'), 'utf8');
  expect(bundle.includes(REASON)).toBe(true);
});
