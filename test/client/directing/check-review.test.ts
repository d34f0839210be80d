import { checkApproval, checkReview } from '../../../client/directing';
import { type ProductionStatus } from '../../../contracts/status';

/** A running production with one shot. */
function running(state: string, fromStore: boolean): ProductionStatus {
  const status = { production: 'film', state: 'running', shots: [{ id: 'dawn', state, takes: [] }] };
  return { ...status, ...(fromStore ? { fromStore } : {}) } as unknown as ProductionStatus;
}

describe('a rejection', () => {
  it('of a shot that the store shows as completed says that a review cannot be seen, not that there is none', () => {
    expect(() => checkReview('film', 'dawn', running('completed', true))).toThrow(
      '"dawn" has completed, and whether it is in review is not known without Temporal; `dailies retake film dawn`',
    );
    expect(() => checkReview('film', 'dawn', running('completed', false))).toThrow('not in review: it is completed');
    expect(() => checkReview('film', 'dawn', running('pending', true))).toThrow('not in review: it is pending');
    expect(() => checkReview('film', 'dawn', running('review', true))).not.toThrow();
  });

  it('of a shot that a running production lacks does not say that the production is not running', () => {
    const why = '"noon" is not in review: the running render of "film" lacks it';
    expect(() => checkReview('film', 'noon', running('review', false))).toThrow(why);
    expect(() => checkReview('film', 'noon', undefined)).toThrow('"noon" is not in review: "film" is not running');
  });

  it('unlike an approval, is not left to the worker, since it pays for a take', () => {
    const approval = { shotId: 'dawn', take: undefined };
    expect(() => checkApproval('film', approval, running('completed', true))).not.toThrow();
    expect(() => checkApproval('film', approval, running('completed', false))).toThrow('nothing to approve');
  });
});
