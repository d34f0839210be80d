import { ApplicationFailure, executeChild, ParentClosePolicy, proxyActivities } from '@temporalio/workflow';
import type { DecisionActivities } from 'dailies/contracts/activities';
import { GENERATIONS, generateWorkflowId } from 'dailies/contracts/identifiers';
import type { GenerateInput } from 'dailies/contracts/workflows';
import { generate } from 'dailies/workflows';
import type { CaptionedStill, CaptionedStillInput, PageActivities } from './contract';

/** The worker runs Dailies' workflows too. `generate` does not pay twice, and waits if a person must decide. */
export * from 'dailies/workflows';

const { writePage } = proxyActivities<PageActivities>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 hour',
});

/** An activity of Dailies that reads the charges from the ledger. */
const { lookUpSpending } = proxyActivities<Pick<DecisionActivities, 'lookUpSpending'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '5 seconds',
});

/** Makes a picture and a caption at the same time, then a page with both. */
export async function captionedStill({
  id,
  storeId,
  picture,
  caption,
  folder,
}: CaptionedStillInput): Promise<CaptionedStill> {
  const [pictured, written] = await Promise.all([run(storeId, picture), run(storeId, caption)]);
  const page = await writePage({ id, folder, picture: pictured, caption: written });
  const charged = await Promise.all(
    [picture, caption].map(async ({ task: { shotId } }) => {
      const spending = await lookUpSpending({ productionId: GENERATIONS, shotId });
      return spending[shotId]?.charged ?? 0;
    }),
  );
  return { page, credits: charged.reduce((sum, credits) => sum + credits, 0) };
}

/** Runs a task under the workflow id that `dailies resolve generations ID` uses. @returns the hash of its output. */
async function run(storeId: string, input: GenerateInput): Promise<string> {
  const { shotId } = input.task;
  const { output, reason } = await executeChild(generate, {
    workflowId: generateWorkflowId(storeId, shotId),
    args: [input],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  if (output !== null) return output.asset.sha256;
  throw ApplicationFailure.nonRetryable(`${shotId}: ${reason ?? 'left nothing'}`, 'TaskLeftNothing');
}
