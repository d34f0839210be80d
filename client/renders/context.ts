import { type Client, type WorkflowHandle } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type Store } from '../../store';
import { type StartOptions } from '../start-options';

export interface RenderContext {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
}

export function handleOf({ temporal, store }: RenderContext, productionId: string): WorkflowHandle {
  return temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
}
