import { type Client } from '@temporalio/client';
import { startOptionsFor, startWorkflow } from '../../client/temporal/start-workflow';
import { type ScheduledRunInput } from '../../contracts/render/scheduled-run';
import { WORKFLOWS, type WorkflowSignatures } from '../../contracts/workflow-signatures';
import type * as workflows from '../../workflows';

describe('the signatures of workflows', () => {
  it('go by the names on the wire', () => {
    expect(Object.entries(WORKFLOWS).filter(([key, name]) => key !== name)).toEqual([]);
  });
});

/** The type check reads the rest of this file. A workflow that is registered has a signature, and has that one. */
export function isRegistered(registered: typeof workflows): unknown {
  return [registered satisfies WorkflowSignatures, WORKFLOWS satisfies Record<keyof typeof workflows, string>];
}

/** Each comment is an error once its line compiles. */
export async function isTyped(temporal: Client, input: ScheduledRunInput): Promise<unknown> {
  const options = { ...startOptionsFor('queue'), workflowId: 'id' };
  await startWorkflow(temporal, 'scheduledRun', { ...options, args: [input] });
  // @ts-expect-error the argument is that of another workflow
  await startWorkflow(temporal, 'batch', { ...options, args: [input] });
  // @ts-expect-error no argument
  await startWorkflow(temporal, 'batch', options);
  // @ts-expect-error an argument too many
  await startWorkflow(temporal, 'scheduledRun', { ...options, args: [input, 1] });
  // @ts-expect-error a name that no workflow has
  await startWorkflow(temporal, 'film', { ...options, args: [input] });
  const handle = await startWorkflow(temporal, 'arbiter', { ...options, args: [null] });
  // @ts-expect-error the arbiter has no result
  return (await handle.result()) satisfies string;
}
