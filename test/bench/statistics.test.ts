import { median, quantile } from '../../bench/statistics';

describe('statistics', () => {
  it('takes the middle value, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('puts a quantile between the two values next to it', () => {
    expect(quantile([5, 4, 3, 2, 1], 0.95)).toBeCloseTo(4.8);
    expect(quantile([1, 2], 0)).toBe(1);
    expect(quantile([1, 2], 1)).toBe(2);
  });

  it('has one value for every quantile of one, and none of nothing', () => {
    expect(quantile([7], 0.9)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
