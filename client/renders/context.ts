import { type Client } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type Store } from '../../store';
import { type HandleOf, type StartOptions } from '../temporal/start-workflow';

export interface RenderContext {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
}

/** What names the workflow of a production. */
export interface WorkflowPlace {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id'>;
}

export function handleOf({ temporal, store }: WorkflowPlace, productionId: string): HandleOf<'production'> {
  return temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
}
